// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include "telemetry/steps/phase.h"

class QPainter;
class QRectF;

namespace ringside {

class Theme;

// Returns the colour of a phase of a step, the same on all pages. Waiting is also hatched, so that it can be
// recognized without its colour.
QColor phaseColor(Phase phase, const Theme& theme);
QColor hatchColor(const Theme& theme);                 // returns the colour of the lines over phaseColor(kWaiting)
QColor onPhaseColor(Phase phase, const Theme& theme);  // returns the colour of text on the phase's colour
// True if the pixel is on a line of the hatching.
inline bool isHatched(int x, int y) {
    return (x + y) % 7 < 2;
}

// Fills a rectangle in the phase's colour. The hatching is drawn as lines, so that it also appears in SVG files.
void fillPhase(QPainter& painter, const QRectF& rect, Phase phase, const Theme& theme, double corner = 0);

}  // namespace ringside
