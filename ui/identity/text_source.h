// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace ringside {

inline constexpr int kMaxCopiedRows = 100'000;  // maximum number of table rows in one copied text

// Interface of widgets whose content the copy key (Ctrl+C) copies as text, such as the numbers that a picture shows.
class TextSource {
  public:
    virtual ~TextSource() = default;
    // Returns the text to copy: lines of cells, with tabs between the cells; empty if there is nothing to copy.
    virtual QString copyText() const = 0;
};

// Returns the text of the table, list or TextSource that is `widget` or contains `widget`. If there are several,
// returns the text of the innermost one whose text is not empty. Empty if there is none.
QString textAround(const QWidget* widget);
// Returns the texts of all tables, lists and TextSources that are visible in the window, separated by empty lines.
QString textOfWindow(const QWidget& window);

}  // namespace ringside
