// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

#include "theme/theme.h"

namespace ringside {

ThemeColors lightColors();
ThemeColors darkColors();

// The application palette, for what the style sheet does not draw.
QPalette paletteOf(const ThemeColors& colors);

// Okabe-Ito, in the order of the ranks 0-7.
QColor okabeIto(int index);
// Paul Tol's "muted" scheme: ten colours told apart by colour-blind readers, and unlike the ranks' colours.
QColor tolMuted(int index);

}  // namespace ringside
