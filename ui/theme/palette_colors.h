// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

#include "theme/theme.h"

namespace ringside {

ThemeColors lightColors();
ThemeColors darkColors();

// Returns the application palette, for all parts that the style sheet does not draw.
QPalette paletteOf(const ThemeColors& colors);

// Returns a colour of the Okabe-Ito palette, in the order of the ranks 0-7.
QColor okabeIto(int index);
// Returns a colour of Paul Tol's "muted" scheme: ten colours that colour-blind readers can distinguish, different from
// the colours of the ranks.
QColor tolMuted(int index);

}  // namespace ringside
