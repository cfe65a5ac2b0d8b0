// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "config/run_config.h"

namespace ringside {

// Settings of an experiment that affect the meaning of its results.
struct RunSettings {
    ThrottleConfig throttle;
    std::optional<StrategyKind> strategy;  // strategy of the run; empty before the "run" event
    bool mayChangeSize = false;            // true if parallel.min_ranks is set
    StepPitfalls stepPitfalls;
    bool repeatsOrder = false;  // true if set_epoch is never called, so that all epochs have the same order
    double learningRateAtFirst = 0;
};

// Returns the settings of an experiment that affect the meaning of its results.
RunSettings runSettings(const RunConfig& config);

}  // namespace ringside
