// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace ringside {

// Event filter of the application: the copy key copies the table, list or picture with the keyboard focus as text; of a
// table, the selected rows, or all rows if fewer than two are selected. In a dialog without a focused table, list or
// picture, the key copies all of them. Text fields copy their own selection. In the main window the copy action handles
// the key.
//
// Left and Right of a panel that has the focus for copying go to the window, because they belong to the run and a
// scroll area around the panel would use them.
class TableCopy final : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ringside
