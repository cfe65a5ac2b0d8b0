// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "config/run_config.h"

namespace ringside {

// Settings of an experiment that a reader must know to interpret its results.
struct RunSettings {
    ThrottleConfig throttle;
    std::optional<StrategyKind> strategy;  // strategy of the run; empty before the "run" event
    bool mayChangeSize = false;            // true if parallel.min_ranks is set
    StepPitfalls stepPitfalls;
    // true if every epoch has the same order of samples, because set_epoch() is never called
    bool repeatsOrder = false;
    double learningRateAtFirst = 0;
};

// Returns the settings of `config` that a reader must know to interpret the results.
RunSettings runSettings(const RunConfig& config);

}  // namespace ringside
