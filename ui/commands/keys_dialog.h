// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>
#include <QList>

#include "pages/page.h"

namespace ringside {

// All commands that have a key, and the keys of the pages, at a glance.
class KeysDialog final : public QDialog {
    Q_OBJECT
  public:
    KeysDialog(const QList<QAction*>& actions, const QList<Page*>& pages, QWidget* parent);
};

// "&Save as..." -> "Save as"
QString plainText(const QAction& action);

}  // namespace ringside
