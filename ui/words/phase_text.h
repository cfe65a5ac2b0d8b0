// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

#include "telemetry/data/run_pauses.h"
#include "telemetry/steps/phase.h"

namespace ringside {

// Returns the on-screen name of a phase of a training step, such as "data", "forward" or "waiting".
QString phaseText(Phase phase);
// Returns the name of a phase of the training step in telemetry files, such as "data", "moving" or "idle".
QString phaseTelemetryName(Phase phase);
// Returns the phase at whose end the run is paused; empty if the run is not paused, or if the phase is unknown. Control
// commands that a paused run executes, such as "replicas", do not change it.
std::optional<Phase> pausedPhase(const RunPauses& pauses);
// Returns a duration with its unit. Shorter durations have more decimals: "138 ms", "38.2 ms", "0.031 ms". Durations
// from 10,000 ms on are in seconds: "21.0 s".
QString millisecondsText(double ms);
// Returns a range of durations, such as "2.6 to 5.9 ms".
QString millisecondsRange(double low, double high);
// Returns a duration in milliseconds without the unit, for table columns whose heading contains the unit.
QString millisecondsNumber(double ms);

}  // namespace ringside
