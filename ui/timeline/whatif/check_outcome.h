// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "timeline/whatif/check_run.h"
#include "whatif/step_replay.h"

namespace ringside {

enum class CheckOutcome {
    kConfirmed,     // the measured mean lies inside the predicted interval
    kNotConfirmed,  // it lies outside: the prediction was wrong
    kNotMeasurable  // the changed experiment gave no mean that can be compared
};

// Compares a predicted step time with the run that checks it.
CheckOutcome checkOutcome(const ReplayResult& prediction, const CheckResult& measured);

// Returns "Confirmed: 12.8 ms measured over 16 steps; 12.1 to 14.0 ms predicted.", as rich text with the outcome in
// bold.
QString checkText(const ReplayResult& prediction, const CheckResult& measured);

}  // namespace ringside
