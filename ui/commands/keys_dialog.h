// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>
#include <QGridLayout>
#include <QList>

#include "pages/page.h"

namespace ringside {

// Dialog that lists the keyboard shortcuts of all commands and of the pages.
class KeysDialog final : public QDialog {
    Q_OBJECT
  public:
    KeysDialog(const QList<QAction*>& actions, const QList<Page*>& pages, QWidget* parent);

  private:
    int columnsFor(const QList<PageShortcut>& lines, int width) const;
    static void addLines(QGridLayout& grid, const QList<PageShortcut>& lines, int columns);
};

// Returns the text of the action without the "&" before the letter of keyboard access and without a final "...": "&Save
// as..." becomes "Save as".
QString plainText(const QAction& action);

}  // namespace ringside
