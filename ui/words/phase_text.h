// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "telemetry/steps/phase.h"

namespace ringside {

// Returns the phase's name on the pages: "data", "forward", "waiting".
QString phaseText(Phase phase);
// Returns the phase's name in telemetry: "data", "moving", "idle".
QString phaseTelemetryName(Phase phase);
// Returns a duration as in the verdict: "38 ms", "2.4 ms", "0.031 ms", and "21.0 s" from ten seconds on.
QString millisecondsText(double ms);
// Returns a range of durations: "2.6 to 5.9 ms".
QString millisecondsRange(double low, double high);
// Returns the number without its unit, for table columns in ms.
QString millisecondsNumber(double ms);

}  // namespace ringside
