// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QColor>

#include "theme/theme.h"

namespace ringside {

// Returns a mixture of two colours; part: share of `other`.
QColor mixedInk(const QColor& one, const QColor& other, double part);
// Returns a readable text colour for a background: black or white.
QColor textColorOn(const QColor& ground);
// Returns a paler shade of a colour for the panels of this theme.
QColor paler(const QColor& color, const ThemeColors& theme);
// Hatching of idle time.
QBrush idleBrush(const ThemeColors& theme);

}  // namespace ringside
