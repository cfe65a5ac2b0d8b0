// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

namespace ringside {

// Dock without a title bar that stays in its place, because the panels inside have titles.
class PlainDock : public QDockWidget {
    Q_OBJECT
  public:
    PlainDock(const QString& title, const QString& name, QWidget* parent) : QDockWidget(title, parent) {
        setObjectName(name);
        setTitleBarWidget(new QWidget(this));
        setFeatures(QDockWidget::NoDockWidgetFeatures);
    }
};

}  // namespace ringside
