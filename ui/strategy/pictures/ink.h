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
// Returns the colour mixed with the background of the theme's panels, as a paler shade.
QColor paler(const QColor& color, const ThemeColors& theme);
// Returns the hatching with which idle time is drawn.
QBrush idleBrush(const ThemeColors& theme);

}  // namespace ringside
