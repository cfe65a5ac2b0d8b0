// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace ringside {

inline constexpr int kMaxCopiedRows = 100'000;  // maximum number of table rows in one copied text

// Widget whose content the copy key copies as text, for example the numbers behind a picture.
class TextSource {
  public:
    virtual ~TextSource() = default;
    // Returns lines of cells that tabs separate; empty if there is nothing to copy.
    virtual QString copyText() const = 0;
};

// Returns the text of the table, list or TextSource that `widget` is or is inside of. If several contain the widget,
// returns the innermost text that is not empty. Empty if there is none.
QString textAround(const QWidget* widget);
// Returns the texts of all tables, lists and TextSources that are visible in the window, separated by empty lines.
QString textOfWindow(const QWidget& window);

}  // namespace ringside
