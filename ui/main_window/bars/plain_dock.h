// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

namespace ringside {

// Dock that cannot be moved and has no title bar; the panels inside it have titles.
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
