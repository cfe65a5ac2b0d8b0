// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

class RunData;

// Where a rank is in the step under way.
struct RankMotion {
    Phase phase = Phase::kIdle;
    int layer = -1;           // that it works on; -1: none, or not told
    std::string action = {};  // of a pipeline's schedule; empty: none
    bool operator==(const RankMotion&) const = default;
};

// In slow motion and single phases: where each rank is.
struct StepMotion {
    std::int64_t step = 0;  // under way on the rank that is furthest behind
    std::vector<RankMotion> ranks;
    bool operator==(const StepMotion&) const = default;
};

// None at full speed, and before every rank has said where it is.
std::optional<StepMotion> stepMotion(const RunData& run);

}  // namespace ringside
