// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include "telemetry/steps/phase.h"

class QPainter;
class QRectF;

namespace ringside {

class Theme;

// The colours of the phases of a step, the same wherever they are drawn. Waiting is hatched besides, so that it is not
// told by its colour alone.
QColor phaseColor(Phase phase, const Theme& theme);
QColor hatchColor(const Theme& theme);                 // of the lines over phaseColor(kWaiting)
QColor onPhaseColor(Phase phase, const Theme& theme);  // text in it
// Whether the pixel is on a line of the hatching.
inline bool isHatched(int x, int y) {
    return (x + y) % 7 < 2;
}

// A rectangle in the phase's colour, hatched with lines of its own: also an SVG shows them.
void fillPhase(QPainter& painter, const QRectF& rect, Phase phase, const Theme& theme, double corner = 0);

}  // namespace ringside
