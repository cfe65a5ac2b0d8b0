// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace ringside {

inline constexpr int kMostCopiedRows = 100'000;  // of a table, in one copy

// Widget whose content the copy key copies as text, for example the numbers behind a picture.
class TextSource {
  public:
    virtual ~TextSource() = default;
    // Returns lines of cells that tabs separate; empty if there is nothing to copy.
    virtual QString copyText() const = 0;
};

// Returns the text of the table, list or TextSource that contains the widget, the innermost first; empty if there is
// none.
QString textAround(const QWidget* widget);
// Returns the texts of all tables, lists and TextSources that are visible in the window, separated by empty lines.
QString textOfWindow(const QWidget& window);

}  // namespace ringside
