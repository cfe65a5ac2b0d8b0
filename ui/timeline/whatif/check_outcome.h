// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "timeline/whatif/check_run.h"
#include "whatif/step_replay.h"

namespace ringside {

enum class CheckOutcome {
    kConfirmed,     // the measured mean lies inside the predicted interval
    kNotConfirmed,  // the measured mean lies outside the predicted interval
    kNotMeasurable  // no mean step time of the changed experiment can be compared
};

// Compares a predicted step time with the mean step time of the run that checks it.
CheckOutcome checkOutcome(const ReplayResult& prediction, const CheckRunResult& measured);

// Returns the outcome as rich text with the first word in bold, such as "Confirmed: 12.8 ms measured, mean of 16
// steps; 12.1 to 14.0 ms predicted (90 % interval)."
QString checkText(const ReplayResult& prediction, const CheckRunResult& measured);

}  // namespace ringside
