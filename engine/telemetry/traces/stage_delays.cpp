// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/stage_delays.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "telemetry/traces/rank_work.h"
#include "telemetry/traces/step_plan.h"
#include "telemetry/traces/step_player.h"

namespace ringside {
namespace {

// Minimum excess work of a rank, as a share of the step, for which its cost is computed; the cost of less work is 0.
constexpr double kNoticeable = 0.02;

// Returns the duration of the replayed step in nanoseconds. begins: time at which each rank starts the step.
double played(const StepPlan& plan, const std::vector<double>& begins) {
    StepPlayer player(plan.ranks.size());
    player.startAt(begins);
    return player.play(plan);
}

}  // namespace

std::vector<std::int64_t> delayCosts(const TracedStep& step) {
    std::vector<std::int64_t> costs(step.ranks.size(), 0);
    const StepPlan plan = planOf(step);
    const std::vector<PhaseWork> work = workOf(plan);
    std::vector<double> begins;
    for (const RankTrace& rank : step.ranks) begins.push_back(static_cast<double>(rank.beginNs - step.beginNs));
    const double minNs = kNoticeable * static_cast<double>(step.endNs - step.beginNs);
    double asRecordedNs = -1;
    for (std::size_t rank = 0; rank < costs.size(); ++rank) {
        const PhaseWork excess = excessWork(plan, work, rank, {.planError = kPlanError});
        if (std::accumulate(excess.begin(), excess.end(), 0.0) < minNs) continue;
        StepPlan changed = plan;
        removeWork(changed.ranks[rank], excess);
        if (asRecordedNs < 0) asRecordedNs = played(plan, begins);
        costs[rank] = std::llround(std::max(0.0, asRecordedNs - played(changed, begins)));
    }
    return costs;
}

}  // namespace ringside
