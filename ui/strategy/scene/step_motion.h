// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

class RunData;

// Position of a rank in the current training step.
struct RankMotion {
    Phase phase = Phase::kIdle;
    int layer = -1;           // index of the layer that the rank computes; -1: none, or not reported
    std::string action = {};  // action of the pipeline schedule that the rank executes, such as "0F3"; empty: none
    bool operator==(const RankMotion&) const = default;
};

// Positions of all ranks in the current training step. Known only in slow motion, and while the user advances phase by
// phase.
struct StepMotion {
    std::int64_t step = 0;  // current step of the slowest rank
    std::vector<RankMotion> ranks;
    bool operator==(const StepMotion&) const = default;
};

// Returns the positions of all ranks; empty at full speed, and while any rank has not reported its position.
std::optional<StepMotion> stepMotion(const RunData& run);

}  // namespace ringside
