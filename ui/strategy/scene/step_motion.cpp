// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/scene/step_motion.h"

#include <algorithm>

#include "telemetry/data/run_data.h"

namespace ringside {

std::optional<StepMotion> stepMotion(const RunData& run) {
    if (!run.showsPhases() || run.ranks().empty()) return {};
    if (!std::ranges::all_of(run.ranks(), [](const RankData& rank) { return rank.slowPhase.has_value(); })) return {};
    // The motion shows the step of the slowest rank. Faster ranks have finished this step, and reports of slow ranks
    // can arrive late.
    StepMotion motion{std::ranges::min_element(run.ranks(), {}, &RankData::step)->step + 1, {}};
    for (const RankData& rank : run.ranks()) {
        const bool ahead = rank.step + 1 > motion.step;
        motion.ranks.push_back(ahead ? RankMotion{Phase::kOptimizer}
                                     : RankMotion{*rank.slowPhase, rank.slowLayer, rank.slowAction});
    }
    return motion;
}

}  // namespace ringside
