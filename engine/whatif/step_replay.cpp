// SPDX-License-Identifier: Apache-2.0
#include "whatif/step_replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "telemetry/traces/idle_share.h"
#include "telemetry/traces/step_plan.h"
#include "telemetry/traces/step_player.h"
#include "whatif/step_changes.h"

// Algorithm: the plans of the recorded steps (step_plan.cpp) are replayed twice, unchanged and with the change. The
// difference between the unchanged replay and the measurement is the error of the model. The 90 % interval of the
// predicted mean is determined by drawing steps with replacement (bootstrap); the relative error of the model is added
// on both sides. The removal of a delay in a pipeline is also replayed with the smallest and the largest time that the
// planned shares allow for the rank, because they follow from numbers of operations and not from measured times.
namespace ringside {
namespace {

constexpr std::size_t kOtherSteps = 8;  // largest number of steps from which additional ranks take their work

// Recorded step of a replay.
struct ReplayedStep {
    const TracedStep* step = nullptr;
    double delayNs = 0;  // time for which slow motion delayed all ranks before the step
};

// Returns for each rank the time from its end of the step `before` to its begin of the next step `step`, in
// nanoseconds; 0 if they overlap.
std::vector<double> gapsBetween(const TracedStep& before, const TracedStep& step) {
    std::vector<double> gaps;
    for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
        gaps.push_back(
            static_cast<double>(std::max<std::int64_t>(step.ranks[rank].beginNs - before.ranks[rank].endNs, 0)));
    return gaps;
}

// Returns the complete steps that were not paused, in groups with consecutive numbers in one epoch and without pauses
// between the steps. The delay of slow motion is not recorded; it is the shortest gap of all ranks before the step.
std::vector<std::vector<ReplayedStep>> runsOf(const TraceData& trace) {
    std::vector<std::vector<ReplayedStep>> runs;
    const TracedStep* before = nullptr;
    for (const auto& [number, step] : trace.steps()) {
        if (!step.complete() || wasPaused(step)) continue;
        const bool follows = before != nullptr && number == before->step + 1 && step.epoch == before->epoch &&
                             !trace.isAfterPause(number);
        if (!follows) runs.emplace_back();
        const bool isDelayed = follows && trace.isAfterSlowMotion(number);
        runs.back().push_back({&step, isDelayed ? std::ranges::min(gapsBetween(*before, step)) : 0});
        before = &step;
    }
    return runs;
}

// Returns the plans of the steps with the change applied. change: null for plans without a change.
std::vector<StepPlan> plansOf(const std::vector<ReplayedStep>& run, const StepChange* wanted,
                              StageTime stageTime = StageTime::kPlanned) {
    std::vector<StepPlan> plans;
    for (const ReplayedStep& one : run) plans.push_back(planOf(*one.step));
    if (wanted == nullptr) return plans;
    if (wanted->worldSize <= 0) {
        for (StepPlan& plan : plans) applyChange(*wanted, plan, {}, stageTime);
        return plans;
    }
    std::vector<StepPlan> changed = plans;
    for (std::size_t i = 0; i < changed.size(); ++i) {
        // Plans of this step and of the steps after it; after the last step, the first one follows. The first copies of
        // the recorded ranks get the work of the next step, the second copies that of the step after it.
        std::vector<const StepPlan*> others;
        for (std::size_t next = 0; next < plans.size() && next < kOtherSteps; ++next)
            others.push_back(&plans[(i + next) % plans.size()]);
        applyChange(*wanted, changed[i], others, stageTime);
    }
    return changed;
}

// Extends or shortens a list to the number of ranks. An additional rank gets the value of the rank whose work it
// copies.
std::vector<double> forRanks(std::vector<double> values, std::size_t ranks) {
    const std::size_t had = values.size();
    for (std::size_t rank = values.size(); rank < ranks; ++rank) values.push_back(values[rank % had]);
    values.resize(ranks);
    return values;
}

double latestEnd(const TracedStep& step) {
    std::int64_t latest = step.beginNs;
    for (const RankTrace& rank : step.ranks) latest = std::max(latest, rank.endNs);
    return static_cast<double>(latest);
}

struct StepTimes {
    std::vector<double> measured;
    std::vector<double> played;
};

// Replays consecutive steps and adds their times. The first step is not timed; it only determines when the ranks begin
// the second.
void playRun(const std::vector<ReplayedStep>& run, const StepChange* wanted, StageTime stageTime, StepTimes& times) {
    const std::vector<StepPlan> plans = plansOf(run, wanted, stageTime);
    const std::size_t ranks = plans.front().ranks.size();
    StepPlayer player(ranks);
    std::vector<double> begins;
    const TracedStep& first = *run.front().step;
    for (const RankTrace& rank : first.ranks) begins.push_back(static_cast<double>(rank.beginNs - first.beginNs));
    player.startAt(forRanks(begins, ranks));
    double before = player.play(plans.front());
    for (std::size_t i = 1; i < run.size(); ++i) {
        const TracedStep& last = *run[i - 1].step;
        std::vector<double> gaps = gapsBetween(last, *run[i].step);
        for (double& gap : gaps) gap -= run[i].delayNs;
        player.pause(forRanks(std::move(gaps), ranks));
        const double end = player.play(plans[i]);
        times.played.push_back(end - before);
        times.measured.push_back(latestEnd(*run[i].step) - latestEnd(last) - run[i].delayNs);
        before = end;
    }
}

// Replays a single step twice and adds the time of the second replay.
void playAlone(const TracedStep& step, const StepChange* wanted, StageTime stageTime, StepTimes& times) {
    const StepPlan plan = plansOf({{&step}}, wanted, stageTime).front();
    StepPlayer player(plan.ranks.size());
    const double first = player.play(plan);
    times.played.push_back(player.play(plan) - first);
    std::int64_t longest = 0;
    for (const RankTrace& rank : step.ranks) longest = std::max(longest, rank.endNs - rank.beginNs);
    times.measured.push_back(static_cast<double>(longest));
}

StepTimes play(const TraceData& trace, const StepChange* wanted, StageTime stageTime = StageTime::kPlanned) {
    StepTimes times;
    const auto runs = runsOf(trace);
    const bool whole = std::ranges::any_of(runs, [](const auto& run) { return run.size() > 1; });
    for (const auto& run : runs) {
        if (run.size() > 1)
            playRun(run, wanted, stageTime, times);
        else if (!whole)
            playAlone(*run.front().step, wanted, stageTime, times);
    }
    return times;
}

std::string reasonNotPredictable(const TraceData& trace, const StepChange& change) {
    if (trace.worldSize() == 1 && change.worldSize > 1)
        return "the run has one rank, so its steps do not show how long a collective takes";
    for (const auto& [number, step] : trace.steps())
        if (step.complete()) return reasonNotPredictable(change, step);
    return {};
}

double meanMs(const std::vector<double>& ns) {
    return ns.empty() ? 0 : std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(ns.size()) / 1e6;
}

// Estimates the 90 % interval of the mean of `ns` by bootstrap: draws as many values as `ns` has with
// replacement, 400 times, and returns the 5 % and 95 % quantiles of the means. ns: in nanoseconds; result: in ms.
std::pair<double, double> spreadOfMean(const std::vector<double>& ns) {
    constexpr int kDraws = 400;
    std::mt19937 random(1);  // a fixed seed gives the same interval for each call
    std::vector<double> means;
    for (int draw = 0; draw < kDraws; ++draw) {
        double sum = 0;
        for (std::size_t i = 0; i < ns.size(); ++i) sum += ns[random() % ns.size()];
        means.push_back(sum / static_cast<double>(ns.size()) / 1e6);
    }
    std::ranges::sort(means);
    return {means[kDraws / 20], means[kDraws - 1 - kDraws / 20]};
}

// True if the prediction depends on the planned shares of pipeline stages.
bool dependsOnShares(const TraceData& trace, const StepChange& change) {
    return change.withoutDelayOf >= 0 && std::ranges::any_of(trace.steps(), [](const auto& step) {
               return step.second.complete() && !step.second.delayCostNs.empty();
           });
}

}  // namespace

ReplayResult replaySteps(const TraceData& trace, const StepChange& change) {
    ReplayResult result;
    result.unanswered = reasonNotPredictable(trace, change);
    if (!result.unanswered.empty()) return result;
    result.pausedSteps = std::ranges::count_if(
        trace.steps(), [](const auto& step) { return step.second.complete() && wasPaused(step.second); });
    const StepTimes same = play(trace, nullptr);
    if (same.played.empty()) return result;
    const StepTimes changed = play(trace, &change);
    result.steps = static_cast<std::int64_t>(same.played.size());
    result.measured = meanMs(same.measured);
    result.replayed = meanMs(same.played);
    result.predicted = meanMs(changed.played);
    auto [low, high] = spreadOfMean(changed.played);
    if (dependsOnShares(trace, change)) {
        low = std::min(low, spreadOfMean(play(trace, &change, StageTime::kShortest).played).first);
        high = std::max(high, spreadOfMean(play(trace, &change, StageTime::kLongest).played).second);
    }
    const double error = result.replayed > 0 ? std::abs(result.replayed - result.measured) / result.replayed : 0;
    result.low = std::max(0.0, low - error * result.predicted);
    result.high = high + error * result.predicted;
    return result;
}

TraceData replayedTrace(const TraceData& trace, const StepChange& change, std::size_t most) {
    const int ranks =
        change.worldSize > 0 && trace.worldSize() > 1 ? change.worldSize : static_cast<int>(trace.worldSize());
    TraceData played(ranks);
    if (!reasonNotPredictable(trace, change).empty()) return played;
    std::vector<ReplayedStep> steps;
    for (auto step = trace.steps().rbegin(); step != trace.steps().rend() && steps.size() < most; ++step)
        if (step->second.complete() && !wasPaused(step->second)) steps.push_back({&step->second});
    if (steps.empty()) return played;
    std::ranges::reverse(steps);
    const std::vector<StepPlan> plans = plansOf(steps, &change);
    const std::size_t count = plans.front().ranks.size();
    StepPlayer player(count);
    std::vector<StepTrace> traces;
    player.record(&traces);
    std::vector<double> begins;
    for (const RankTrace& rank : steps.front().step->ranks) begins.push_back(static_cast<double>(rank.beginNs));
    player.startAt(forRanks(begins, count));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i > 0) player.pause(forRanks(gapsBetween(*steps[i - 1].step, *steps[i].step), count));
        player.play(plans[i]);
        for (StepTrace& one : traces) {
            one.step = steps[i].step->step;
            one.epoch = steps[i].step->epoch;
            played.apply(one);
        }
    }
    return played;
}

}  // namespace ringside
