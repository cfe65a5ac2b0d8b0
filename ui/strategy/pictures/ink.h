// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QColor>

#include "theme/theme.h"

namespace ringside {

QColor mixedInk(const QColor& one, const QColor& other, double part);  // part of the other
// What can be read on a colour: near black or white.
QColor inkOn(const QColor& ground);
// A paler shade of a colour, on this theme's panels.
QColor paler(const QColor& color, const ThemeColors& theme);
// Nobody works.
QBrush idleBrush(const ThemeColors& theme);

}  // namespace ringside
