// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace ringside {

// Event filter of the application for the copy key (Ctrl+C). The key copies the table, list or picture with the
// keyboard focus as text. See tableText() for the copied part of a table. In a dialog without a focused table, list or
// picture, the key copies all tables, lists and pictures of the dialog. Text fields copy their own selection. In the
// main window the copy action handles the key.
//
// The filter also sends the keys Left and Right from a focused TextSource to the window, where they control the run. A
// scroll area around the widget would otherwise scroll.
class TableCopy final : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ringside
