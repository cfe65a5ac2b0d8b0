// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/rank_work.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace ringside {
namespace {

// Phases in which a rank works and does not wait for other ranks.
constexpr std::array kWork{Phase::kDataWait, Phase::kCopy,      Phase::kForward,
                           Phase::kBackward, Phase::kOptimizer, Phase::kIdle};

bool isPass(Phase phase) {
    return phase == Phase::kForward || phase == Phase::kBackward;
}

// Returns the time that a rank is expected to need for a phase: the upper median of the times of the ranks that are not
// in `without`, each scaled by the ratio of the planned shares.
double expectedTime(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank, Phase phase,
                    const std::set<std::size_t>& without, bool isFasterIfSmaller) {
    const PlannedShares& own = step.ranks[rank].planned;
    std::vector<double> others;
    for (std::size_t other = 0; other < work.size(); ++other) {
        if (without.contains(other)) continue;
        const PlannedShares& planned = step.ranks[other].planned;
        double times = plannedWorkRatio(own, planned, phase);  // at least 1
        if (isFasterIfSmaller) times /= plannedWorkRatio(planned, own, phase);
        others.push_back(work[other][static_cast<std::size_t>(phase)] * times);
    }
    return upperMedianOf(others);
}

// Shortens the spans of the phase by `excessNs` in total, the longest spans first. A single delay makes only one span
// longer, whereas a slow device makes all spans longer in proportion.
void shorten(RankPlan& rank, Phase phase, double excessNs) {
    std::vector<double> pieces;
    for (const PlanItem& item : rank.items)
        if (item.kind == PlanItem::Kind::kWork && item.phase == phase) pieces.push_back(item.ns);
    std::ranges::sort(pieces);
    const double allowedNs = std::accumulate(pieces.begin(), pieces.end(), 0.0) - excessNs;
    double shorterNs = 0;
    double capNs = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto longer = static_cast<double>(pieces.size() - i);
        if (shorterNs + longer * pieces[i] > allowedNs) {
            capNs = std::max(0.0, allowedNs - shorterNs) / longer;
            break;
        }
        shorterNs += pieces[i];
    }
    for (PlanItem& item : rank.items)
        if (item.kind == PlanItem::Kind::kWork && item.phase == phase) item.ns = std::min(item.ns, capNs);
}

}  // namespace

double upperMedianOf(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::vector<PhaseWork> workOf(const StepPlan& step) {
    std::vector<PhaseWork> all(step.ranks.size(), PhaseWork{});
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        for (const PlanItem& item : step.ranks[rank].items)
            if (item.kind == PlanItem::Kind::kWork) all[rank][static_cast<std::size_t>(item.phase)] += item.ns;
    return all;
}

PhaseWork excessWork(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank,
                     const ExpectedWork& expected) {
    PhaseWork excess{};
    if (work.size() < 2) return excess;
    for (const Phase phase : kWork) {
        const auto at = static_cast<std::size_t>(phase);
        const double allowed = expectedTime(step, work, rank, phase, {rank}, expected.isFasterIfSmaller) *
                               (isPass(phase) ? expected.scale : 1);
        if (work[rank][at] > allowed * (isPass(phase) ? 1 + expected.planError : 1))
            excess[at] = work[rank][at] - allowed;
    }
    return excess;
}

double largestPlanErrorFactor(const StepPlan& step, const std::vector<PhaseWork>& work, std::size_t rank) {
    if (work.size() < 3) return 1 + kPlanError;
    double largest = 1;
    for (std::size_t other = 0; other < work.size(); ++other) {
        if (other == rank) continue;
        double took = 0, expected = 0;
        for (const Phase phase : kWork) {
            if (!isPass(phase)) continue;
            took += work[other][static_cast<std::size_t>(phase)];
            expected += expectedTime(step, work, other, phase, {rank, other}, true);
        }
        if (took > 0 && expected > 0) largest = std::max({largest, took / expected, expected / took});
    }
    return largest;
}

void removeWork(RankPlan& rank, const PhaseWork& excess) {
    for (const Phase phase : kWork)
        if (const double ns = excess[static_cast<std::size_t>(phase)]; ns > 0) shorten(rank, phase, ns);
}

}  // namespace ringside
