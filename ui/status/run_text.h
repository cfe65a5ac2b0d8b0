// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "models/run_controller.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// The functions below return texts for the status bar.
QString progressText(RunController::State state, const RunData& run, const QString& message);
QString rateText(double stepsPerSecond);   // returns, for example, "0.5 steps/s"
QString timeLeftText(const RunData& run);  // returns, for example, "4 s left"; empty if the time is unknown, or if the
                                           // run is paused or has ended
double progressShare(const RunData& run);  // returns the finished share of the run's steps, 0 to 1

QString durationText(double seconds);  // returns, for example, "4 s", "2 min 5 s" or "1 h 20 min"

}  // namespace ringside
