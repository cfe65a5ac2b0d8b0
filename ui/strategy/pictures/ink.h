// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QColor>

#include "theme/theme.h"

namespace ringside {

// Returns a mixture of the colours `one` and `other`; part: share of `other`, from 0 to 1.
QColor mixedInk(const QColor& one, const QColor& other, double part);
// Returns a readable text colour for a background: black or white.
QColor textColorOn(const QColor& ground);
// Returns a paler shade of `color`: mixed with the background colour of panels.
QColor paler(const QColor& color, const ThemeColors& theme);
// Returns the hatched brush for idle time.
QBrush idleBrush(const ThemeColors& theme);

}  // namespace ringside
