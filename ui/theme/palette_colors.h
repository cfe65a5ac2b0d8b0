// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

#include "theme/theme.h"

namespace ringside {

ThemeColors lightColors();
ThemeColors darkColors();

// Returns the palette of the application, which colours all parts that the style sheet does not draw.
QPalette paletteOf(const ThemeColors& colors);

// Returns the colour with this index (0-7) of the Okabe-Ito palette, in the order in which ranks use them.
QColor okabeIto(int index);
// Returns a colour of Paul Tol's "muted" scheme: ten colours that colour-blind readers can distinguish, different from
// the colours of the ranks.
QColor tolMuted(int index);

}  // namespace ringside
