// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "telemetry/steps/phase.h"

namespace ringside {

// Returns the phase's name on the pages: "data", "forward", "waiting".
QString phaseText(Phase phase);
// Returns the phase's name in telemetry: "data", "moving", "idle".
QString phaseTelemetryName(Phase phase);
// Returns a duration with its unit, with more decimals the shorter it is: "138 ms", "38.2 ms", "0.031 ms"; in seconds
// from 10,000 ms on: "21.0 s".
QString millisecondsText(double ms);
// Returns a range of durations: "2.6 to 5.9 ms".
QString millisecondsRange(double low, double high);
// Returns a duration in milliseconds without the unit, for table columns whose heading contains the unit.
QString millisecondsNumber(double ms);

}  // namespace ringside
