// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

class RunData;

// Position of a rank in the current step.
struct RankMotion {
    Phase phase = Phase::kIdle;
    int layer = -1;           // layer that the rank works on; -1: none, or not reported
    std::string action = {};  // action of a pipeline's schedule that the rank works on; empty: none
    bool operator==(const RankMotion&) const = default;
};

// Positions of all ranks in the current step, in slow motion and single phases.
struct StepMotion {
    std::int64_t step = 0;  // current step of the slowest rank
    std::vector<RankMotion> ranks;
    bool operator==(const StepMotion&) const = default;
};

// Returns the positions of all ranks; empty at full speed, and until every rank has reported its position.
std::optional<StepMotion> stepMotion(const RunData& run);

}  // namespace ringside
