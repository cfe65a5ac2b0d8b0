// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include "telemetry/steps/phase.h"

class QPainter;
class QRectF;

namespace ringside {

class Theme;

// Returns the colour of a phase of the training step, which is the same on all pages. The phase "waiting" is also
// hatched, so that people recognize it without its colour.
QColor phaseColor(Phase phase, const Theme& theme);
QColor hatchColor(const Theme& theme);  // returns the colour of the hatching lines of the phase "waiting"
QColor onPhaseColor(Phase phase, const Theme& theme);  // returns the colour of text that is drawn on phaseColor()
// True if the pixel (x, y) is on a line of the hatching.
inline bool isHatched(int x, int y) {
    return (x + y) % 7 < 2;
}

// Fills a rectangle with the phase's colour and, for the phase "waiting", with hatching. Draws the hatching as lines,
// because a pattern brush does not appear in SVG files.
void fillPhase(QPainter& painter, const QRectF& rect, Phase phase, const Theme& theme, double corner = 0);

}  // namespace ringside
