// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace ringside {

// Event filter of the application: the copy key copies the selected rows of any table or list, or all rows if fewer
// than two are selected. Without it, Qt copies one cell. In the main window the copy action handles the key.
class TableCopy final : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ringside
