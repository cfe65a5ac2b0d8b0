// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "telemetry/steps/steps_verdict.h"
#include "watch/evidence/fact_reader.h"
#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"
#include "watch/findings/loader_groups.h"

namespace ringside {
namespace {

// Phases in which a rank does its own work. The remaining time of a step is communication, which takes as long as the
// slowest rank needs.
constexpr std::array kOwnWork{Phase::kDataWait,  Phase::kCopy,       Phase::kForward,    Phase::kBackward,
                              Phase::kOptimizer, Phase::kValidation, Phase::kCheckpoint, Phase::kIdle};
constexpr std::size_t kMaxSteps = 200;
constexpr std::size_t kMinSteps = 8;
constexpr double kMinLostMs = 100;  // least total time that a straggler must cost in all judged steps to be reported;
                                    // less can be chance on a busy machine

// The queued time of a thread is the time in which it was runnable but had no CPU. On a busy machine, a rank also loses
// time that Linux does not count as queued: its thread waits for another thread that has no CPU, for example for the
// lock of the Python interpreter, and finds its data no longer in the caches. This time is assumed to be at most as
// long as the queued time. A finding about time must therefore still hold if the queued time is subtracted once more.

double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::int64_t ownNs(const PhaseTimes& times) {
    std::int64_t sum = 0;
    for (const Phase phase : kOwnWork) sum += timeOf(times, phase);
    return sum;
}

// Returns the phase times with the forward pass limited to its CPU time, which excludes waits.
PhaseTimes withoutForwardWaits(const RankTrace& rank) {
    std::int64_t cpuNs = 0;
    for (const Span& span : rank.spans)
        if (span.phase == Phase::kForward) cpuNs += span.cpuNs;
    PhaseTimes times = rank.times;
    timeOf(times, Phase::kForward) = std::min(timeOf(times, Phase::kForward), cpuNs);
    return times;
}

// Selects whether forward passes include the wait for the buffers that DDP broadcasts from the lowest rank.
enum class ForwardTimes { kMeasured, kWithoutWaits };

// Returns the summary of a step from which judgeSteps() determines a straggler. The rank with the most work of its own
// costs the other ranks the time by which it exceeds the rank with the second most work, without the time in which it
// was runnable but had no CPU: other programs take that time, not the script. The queued time of the other ranks is not
// subtracted, because a part of it may lie in their waits for the collective.
StepMeasurements measurementsOf(const TracedStep& step, ForwardTimes forward) {
    StepMeasurements brief;
    brief.step = step.step;
    // judgeSteps() requires at least one collective, which hasMet() has checked; it does not use the exact number
    brief.collectives = 1;
    brief.lengthNs = step.endNs - step.beginNs;
    std::vector<std::int64_t> own;
    for (const RankTrace& rank : step.ranks) {
        const bool isCpu = forward == ForwardTimes::kWithoutWaits;
        const std::int64_t queuedNs = std::max(rank.queuedNs, std::int64_t{0});  // a rank reports -1 if its queued time
                                                                                 // is not known
        brief.ranks.push_back({isCpu ? withoutForwardWaits(rank) : rank.times, queuedNs, 0, {}});
        own.push_back(ownNs(brief.ranks.back().times));
        brief.lengthNs = std::max(brief.lengthNs, std::int64_t{1});
    }
    const auto latest = std::ranges::max_element(own) - own.begin();
    const std::int64_t most = own[static_cast<std::size_t>(latest)];
    own.erase(own.begin() + latest);
    RankMeasurements& late = brief.ranks[static_cast<std::size_t>(latest)];
    late.lostNs = std::max(most - late.queuedNs - *std::ranges::max_element(own), std::int64_t{0});
    return brief;
}

// True if at least one collective of each rank was recorded in the step: the ranks have then waited for each other.
bool hasMet(const TracedStep& step) {
    return std::ranges::all_of(step.ranks, [](const RankTrace& rank) { return !rank.collectives.empty(); });
}

std::vector<StepMeasurements> measurementsOf(const Evidence& evidence, ForwardTimes forward) {
    std::vector<StepMeasurements> briefs;
    const auto& steps = evidence.traces().steps();
    for (auto one = steps.rbegin(); one != steps.rend() && briefs.size() < kMaxSteps; ++one)
        if (one->second.complete() && one->first > 1 && hasMet(one->second))
            briefs.push_back(measurementsOf(one->second, forward));
    std::ranges::reverse(briefs);
    return briefs;
}

std::string phaseWords(Phase phase) {
    switch (phase) {
        case Phase::kDataWait:
            return "the wait of this rank for batches";
        case Phase::kForward:
            return "the forward pass of this rank";
        case Phase::kBackward:
            return "the backward pass of this rank";
        case Phase::kOptimizer:
            return "the optimizer step of this rank";
        case Phase::kIdle:
            return "the code of this rank outside of the phases of a step";
        case Phase::kConnect:
        case Phase::kCopy:
        case Phase::kWaiting:
        case Phase::kMoving:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
            break;
    }
    return "the phase " + std::string(phaseName(phase)) + " of this rank";
}

double medianTime(const std::vector<StepMeasurements>& briefs, std::size_t rank, Phase phase) {
    std::vector<double> times;
    for (const StepMeasurements& one : briefs)
        times.push_back(static_cast<double>(timeOf(one.ranks[rank].times, phase)));
    return medianOf(std::move(times));
}

double medianOfOthers(const std::vector<StepMeasurements>& briefs, std::size_t but, Phase phase) {
    std::vector<double> times;
    for (std::size_t rank = 0; rank < briefs.front().ranks.size(); ++rank)
        if (rank != but) times.push_back(medianTime(briefs, rank, phase));
    return medianOf(std::move(times));
}

// Returns the median queued time of a step of the rank that has the largest median, in milliseconds.
double queuedMs(const std::vector<StepMeasurements>& briefs) {
    double most = 0;
    for (std::size_t rank = 0; rank < briefs.front().ranks.size(); ++rank) {
        std::vector<double> times;
        for (const StepMeasurements& one : briefs) times.push_back(static_cast<double>(one.ranks[rank].queuedNs) / 1e6);
        most = std::max(most, medianOf(std::move(times)));
    }
    return most;
}

// Returns the result of a check whose finding can be a consequence of a busy machine. share: part of a step in which
// the processes were queued, from 0 to 1.
Judgement busyMachine(const std::string& observation, double share) {
    return couldNotJudge(observation + (observation.empty() ? "" : ", but ") + "the processes waited for a CPU " +
                         percentOf(std::min(share, 1.0), 1) + " of the time");
}

// Returns the median, over the traced steps, of the queued time of a rank, in microseconds; 0 if it is not known.
double queuedUs(const Evidence& evidence, int rank) {
    std::vector<double> times;
    for (const auto& [number, step] : evidence.traces().steps()) {
        const auto index = static_cast<std::size_t>(rank);
        if (index >= step.ranks.size() || !step.ranks[index].known) continue;
        times.push_back(static_cast<double>(std::max(step.ranks[index].queuedNs, std::int64_t{0})) / 1e3);
    }
    return medianOf(std::move(times));
}

// Median wait for batches and median length of a rank's steps, in microseconds, without the first steps of a pass.
struct LoaderTimes {
    double dataUs = 0;
    double stepUs = 0;
    std::size_t steps = 0;
};

LoaderTimes loaderTimes(const RankEvidence& rank) {
    std::vector<double> data, lengths;
    for (std::size_t i = 2; i < rank.steps.size(); ++i) {
        data.push_back(static_cast<double>(rank.steps[i].dataUs));
        lengths.push_back(static_cast<double>(rank.steps[i].endUs - rank.steps[i - 1].endUs));
    }
    const std::size_t steps = data.size();
    return {medianOf(std::move(data)), medianOf(std::move(lengths)), steps};
}

// True if DDP copies the buffers of the lowest rank to all other ranks before each forward pass.
bool broadcastsBuffers(const Evidence& evidence) {
    const Json& facts = evidence.ranks().begin()->second.latest("data_parallel");
    const Json* const norms = memberOf(facts, "batch_norms");
    return flagOf(facts, "broadcast_buffers").value_or(false) && norms != nullptr && !norms->empty();
}

std::int64_t workersOf(const RankEvidence& rank) {
    for (const auto& [id, loader] : rank.loaders)
        if (loader.isTrained()) return numberOf(loader.facts, "num_workers", 0);
    return 0;
}

std::string trainingLine(const RankEvidence& rank) {
    for (const auto& [id, loader] : rank.loaders)
        if (loader.isTrained()) return loader.sourceLine();
    return {};
}

// Returns the line of the script that begins a phase of a step: the loop over the loader, backward() or the
// optimizer's step(). Empty for other phases, and if the line was not reported.
std::string lineOfPhase(const RankEvidence& rank, Phase phase) {
    switch (phase) {
        case Phase::kDataWait:
            return trainingLine(rank);
        case Phase::kBackward:
            return textOf(rank.latest("loss"), "where");
        case Phase::kOptimizer:
            return textOf(rank.latest("optimizer"), "where");
        case Phase::kForward:
        case Phase::kIdle:
        case Phase::kConnect:
        case Phase::kCopy:
        case Phase::kWaiting:
        case Phase::kMoving:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
            break;
    }
    return {};
}

}  // namespace

Judgement judgeStraggler(const Evidence& evidence) {
    const ReplicaGroups groups = replicaGroupsOf(evidence);
    if (groups.groups.empty()) return explainMissingGroup(groups);
    if (groups.groups.size() > 1 || static_cast<int>(groups.groups.front().ranks.size()) != evidence.worldSize())
        return couldNotJudge("not all ranks form one data-parallel group");
    std::vector<StepMeasurements> briefs = measurementsOf(evidence, ForwardTimes::kMeasured);
    if (briefs.size() < kMinSteps)
        return couldNotJudge("fewer than " + std::to_string(kMinSteps) +
                             " steps with the times of a collective on all ranks were seen");
    StepsVerdict verdict = judgeSteps(briefs);
    if (verdict.finding != StepsFinding::kStraggler && broadcastsBuffers(evidence)) {
        briefs = measurementsOf(evidence, ForwardTimes::kWithoutWaits);
        const StepsVerdict other = judgeSteps(briefs);
        if (other.finding == StepsFinding::kStraggler && other.rank == 0) verdict = other;
    }
    if (verdict.finding == StepsFinding::kTooFewSteps) return couldNotJudge("too few steps were traced");
    const double queued = queuedMs(briefs);
    const std::string late = "rank " + std::to_string(verdict.rank) + " often arrives last";
    if (verdict.finding == StepsFinding::kCrowded) return busyMachine("", queued / verdict.stepMs);
    if (verdict.finding == StepsFinding::kCpuTaken) return busyMachine(late, queued / verdict.stepMs);
    if (verdict.finding != StepsFinding::kStraggler) return passed();
    const double lostMs = verdict.lostMs * static_cast<double>(verdict.steps);
    if (lostMs < kMinLostMs)
        return passed(late + ", but has cost the other ranks only " + durationWords(1e3 * lostMs) + " in " +
                      counted(verdict.steps, "step"));
    if (verdict.lostMs < queued) return busyMachine(late, queued / verdict.stepMs);
    const auto rank = static_cast<std::size_t>(verdict.rank);
    const double own = medianTime(briefs, rank, verdict.phase) / 1e3;
    const double others = medianOfOthers(briefs, rank, verdict.phase) / 1e3;
    return found("Rank " + std::to_string(verdict.rank) + " arrives last in " + percentOf(verdict.share, 1) +
                     " of steps and costs the other ranks " + durationWords(1e3 * verdict.lostMs) + " of " +
                     durationWords(1e3 * verdict.stepMs) + " per step: " + phaseWords(verdict.phase) + " takes " +
                     durationWords(own) + ", but " + durationWords(others) + " on the other ranks.",
                 lineOfPhase(*evidence.find(verdict.rank), verdict.phase),
                 {{"rank", verdict.rank},
                  {"phase", phaseName(verdict.phase)},
                  {"share", verdict.share},
                  {"lost_ms_per_step", verdict.lostMs},
                  {"step_ms", verdict.stepMs},
                  {"steps", verdict.steps}});
}

Judgement judgeLoaderSlow(const Evidence& evidence) {
    constexpr double kMuch = 0.3;  // least share of a step that the wait for a batch must take to be reported
    // Least wait per step that is reported, in microseconds. Shorter waits, such as those of samples that are read in
    // 0.5 ms each, vary too much with the other programs of the computer.
    constexpr double kMinUs = 8000;
    double minShare = 1;
    // largest share of a step in which a rank was queued, over the ranks whose wait for batches this can explain
    double queuedShare = 0;
    LoaderTimes shown;
    const RankEvidence* slow = nullptr;
    bool hasLoader = false;
    for (const auto& [number, rank] : evidence.ranks()) {
        hasLoader =
            hasLoader || std::ranges::any_of(rank.loaders, [](const auto& one) { return !one.second.passes.empty(); });
        LoaderTimes times = loaderTimes(rank);
        if (times.steps < kMinSteps)
            return hasLoader ? couldNotJudge("fewer than 8 steps were seen") : skipped("no DataLoader");
        const double stepUs = std::max(times.stepUs, 1.0);
        const double minUs = std::max(kMinUs, kMuch * stepUs);
        if (times.dataUs < minUs) return hasLoader ? passed() : skipped("no DataLoader");
        const double queued = queuedUs(evidence, number);
        const bool isCertain = times.dataUs - queued >= minUs && times.dataUs - 2 * queued >= kMinUs;
        if (!isCertain) queuedShare = std::max(queuedShare, queued / stepUs);
        times.dataUs = std::max(times.dataUs - queued, 0.0);
        const double share = times.dataUs / stepUs;
        if (slow == nullptr || share < minShare) {
            minShare = share;
            shown = times;
            slow = &rank;
        }
    }
    if (slow == nullptr) return skipped("no rank");
    if (queuedShare > 0) return busyMachine("the ranks wait for batches", queuedShare);
    const std::int64_t workers = workersOf(*slow);
    return found("Each rank waits " + durationWords(shown.dataUs) + " of " + durationWords(shown.stepUs) +
                     " per step for its next batch (" + percentOf(minShare, 1) +
                     "), with num_workers=" + std::to_string(workers) + ".",
                 trainingLine(*slow),
                 {{"data_ms", shown.dataUs / 1e3},
                  {"step_ms", shown.stepUs / 1e3},
                  {"share", minShare},
                  {"num_workers", workers}});
}

}  // namespace ringside
