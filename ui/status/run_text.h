// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "models/run_controller.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Sentences of the status bar.
QString progressText(RunController::State state, const RunData& run, const QString& message);
QString timeLeftText(const RunData& run);  // such as "4 s left"; empty if unknown or over
double progressShare(const RunData& run);  // 0 to 1

QString durationText(double seconds);  // such as "4 s", "2 min 5 s", "1 h 20 min"

}  // namespace ringside
