// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/steps_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

// Algorithm: first, nameRank() looks for one rank that is late in most steps and costs a noticeable part of each step.
// This rank is a straggler if its additional work, compared with the other ranks, explains the lost time. If instead
// its time in the queue for a CPU explains the lost time, other programs use its CPU. If no rank can be named,
// judgeTogether() tests the causes that concern all ranks, in this order: data, CPU, communication, a different late
// rank in each step, little work. All times are medians over the steps, so that a single slow step has no effect.
namespace ringside {
namespace {

constexpr std::size_t kMinSteps = 8;   // minimum number of steps for a finding
constexpr double kNoticeable = 0.05;   // a rank is named only if it costs at least this share of a step's length
constexpr double kLateShare = 0.6;     // a rank is named only if it arrives last in at least this share of the steps
constexpr double kExplained = 0.4;     // smallest share of the lost time that the late rank's own work must explain
constexpr double kCrowdedShare = 0.2;  // kCrowded: minimum share of a step for which the median rank waits for a CPU
// kCrowded: minimum share of a step for which the rank with the longest wait waits for a CPU
constexpr double kWorstQueue = 0.4;
// kData and kBytes: minimum share of a step that is spent waiting for data, or transferring data
constexpr double kMuch = 0.3;
// A rank is named only if the observed steps last at least this long in total, in nanoseconds. In a shorter time, a
// single scheduling decision can make the same rank late in every step.
constexpr double kSeenForNs = 250e6;
constexpr double kTakenForNs = 500e6;
constexpr double kShortStepNs = 2e6;
// average buffer size in bytes below which a collective is small: most of its time is latency
constexpr double kSmallMessage = 64 << 10;
constexpr std::array kOwnWork{Phase::kDataWait,  Phase::kCopy,       Phase::kForward, Phase::kBackward,
                              Phase::kOptimizer, Phase::kCheckpoint, Phase::kIdle};

double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Returns the median over the steps of a measured value of one rank.
template <class Measure>
double typical(std::span<const StepMeasurements> steps, std::size_t rank, const Measure& measure) {
    std::vector<double> values;
    values.reserve(steps.size());
    for (const StepMeasurements& step : steps) values.push_back(static_cast<double>(measure(step.ranks[rank])));
    return medianOf(std::move(values));
}

template <class Measure>
double typicalOfOthers(std::span<const StepMeasurements> steps, std::size_t but, const Measure& measure) {
    std::vector<double> values;
    for (std::size_t rank = 0; rank < steps.front().ranks.size(); ++rank)
        if (rank != but) values.push_back(typical(steps, rank, measure));
    return medianOf(std::move(values));
}

template <class Measure>
double typicalOfAll(std::span<const StepMeasurements> steps, const Measure& measure) {
    return typicalOfOthers(steps, steps.front().ranks.size(), measure);
}

// Returns a function that computes the time of any rank in a phase, multiplied by the planned work of `scaledTo` and
// divided by the planned work of that rank.
auto in(Phase phase, const RankMeasurements& scaledTo) {
    return [phase, &scaledTo](const RankMeasurements& rank) {
        return static_cast<double>(timeOf(rank.times, phase)) * plannedWorkRatio(scaledTo.planned, rank.planned, phase);
    };
}
auto in(Phase phase) {
    return [phase](const RankMeasurements& rank) { return timeOf(rank.times, phase); };
}
auto ownWork(const RankMeasurements& scaledTo) {
    return [&scaledTo](const RankMeasurements& rank) {
        double sum = 0;
        for (const Phase phase : kOwnWork) sum += in(phase, scaledTo)(rank);
        return sum;
    };
}
std::int64_t queued(const RankMeasurements& rank) {
    return rank.queuedNs;
}
std::int64_t computing(const RankMeasurements& rank) {
    return timeOf(rank.times, Phase::kForward) + timeOf(rank.times, Phase::kBackward) +
           timeOf(rank.times, Phase::kOptimizer);
}

// Rank that costs the other ranks the most time, with this time.
struct Latest {
    std::size_t rank = 0;
    double share = 0;  // share of the steps in which the rank arrived last
    // time that the other ranks lose because of this rank: median over the steps, in nanoseconds
    double lostNs = 0;
    // time that ranks lose in a step because of any late rank: median over the steps, in nanoseconds
    double lostByAllNs = 0;
};

Latest latestRank(std::span<const StepMeasurements> steps) {
    const std::size_t ranks = steps.front().ranks.size();
    std::vector<double> lost(ranks);
    std::vector<std::size_t> times(ranks);
    std::vector<double> lostByAll;
    for (const StepMeasurements& step : steps) {
        lostByAll.push_back(std::accumulate(
            step.ranks.begin(), step.ranks.end(), 0.0,
            [](double sum, const RankMeasurements& rank) { return sum + static_cast<double>(rank.lostNs); }));
        const auto worst = std::ranges::max_element(step.ranks, {}, &RankMeasurements::lostNs);
        if (worst->lostNs > 0) ++times[static_cast<std::size_t>(worst - step.ranks.begin())];
        for (std::size_t rank = 0; rank < ranks; ++rank) lost[rank] += static_cast<double>(step.ranks[rank].lostNs);
    }
    Latest latest;
    latest.rank = static_cast<std::size_t>(std::ranges::max_element(lost) - lost.begin());
    const auto count = static_cast<double>(steps.size());
    latest.share = static_cast<double>(times[latest.rank]) / count;
    latest.lostNs = typical(steps, latest.rank, [](const RankMeasurements& rank) { return rank.lostNs; });
    latest.lostByAllNs = medianOf(std::move(lostByAll));
    return latest;
}

// Phase in which a rank is slowest in comparison with the median of the other ranks.
struct Excess {
    Phase phase = Phase::kIdle;
    double ns = 0;
    double ownNs = 0;
    double othersNs = 0;
};

Excess largestExcess(std::span<const StepMeasurements> steps, std::size_t rank) {
    Excess largest;
    for (const Phase phase : kOwnWork) {
        const double own = typical(steps, rank, in(phase));
        const double others = typicalOfOthers(steps, rank, in(phase, steps.front().ranks[rank]));
        if (own - others > largest.ns) largest = {phase, own - others, own, others};
    }
    return largest;
}

std::string inMilliseconds(double ns) {
    return fmt::format("{:.{}f} ms", ns / 1e6, ns >= 1e8 ? 0 : ns >= 1e5 ? 1 : 3);
}

std::string percent(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

// Returns the words for the work of a late rank in a phase, as part of a sentence.
std::string workName(Phase phase) {
    switch (phase) {
        case Phase::kDataWait:
            return "its wait for data";
        case Phase::kCopy:
            return "its copy of the batch to the device";
        case Phase::kIdle:
            return "its time between the phases";
        case Phase::kConnect:
        case Phase::kForward:
        case Phase::kBackward:
        case Phase::kWaiting:
        case Phase::kMoving:
        case Phase::kOptimizer:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
            break;
    }
    return "its " + std::string(phaseName(phase));
}

std::string excessText(const Excess& excess, bool isPipeline) {
    constexpr double kSayable = 20;
    const std::string name = workName(excess.phase) + " takes ";
    if (excess.othersNs <= 0 || excess.ownNs > kSayable * excess.othersNs)
        return name + inMilliseconds(excess.ownNs) + " instead of " + inMilliseconds(excess.othersNs) +
               (isPipeline ? " (planned time)" : " (median of the other ranks)");
    return name + fmt::format("{:.1f} times", excess.ownNs / excess.othersNs) +
           (isPipeline ? " its planned time" : " the median of the other ranks");
}

std::string stragglerAdvice(Phase phase) {
    switch (phase) {
        case Phase::kDataWait:
            return "Check the storage from which this rank reads, or use loader workers (loader.num_workers).";
        case Phase::kOptimizer:
            return "Check for work that only this rank does after the backward pass: logging, saving, a hook.";
        case Phase::kForward:
        case Phase::kBackward:
            return "Check the device of this rank (model, clock, temperature), or whether its batches take more time "
                   "than those of other ranks.";
        case Phase::kConnect:
        case Phase::kCopy:
        case Phase::kWaiting:
        case Phase::kMoving:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
        case Phase::kIdle:
            break;
    }
    return "Check for work that only this rank does between steps.";
}

std::string lateText(const StepsVerdict& verdict, bool isPipeline) {
    const char* const does = isPipeline ? " keeps the other ranks waiting in " : " arrives last in ";
    return "Rank " + std::to_string(verdict.rank) + does + percent(verdict.share) + " of steps and costs " +
           inMilliseconds(1e6 * verdict.lostMs) + " of " + inMilliseconds(1e6 * verdict.stepMs) +
           " per step (median); ";
}

// Looks for one rank that is late in most steps and finds the reason. Returns true if there is such a rank.
bool nameRank(std::span<const StepMeasurements> steps, const Latest& latest, StepsVerdict& verdict) {
    const double stepNs = 1e6 * verdict.stepMs;
    const double chance = 1.0 / static_cast<double>(steps.front().ranks.size());
    if (latest.share < std::max(kLateShare, chance + 0.25) || latest.lostNs < kNoticeable * stepNs) return false;
    const auto seenSteps = static_cast<double>(steps.back().step - steps.front().step + 1);
    if (seenSteps * stepNs < kSeenForNs) return false;
    const double queuedMore = typical(steps, latest.rank, queued) - typicalOfOthers(steps, latest.rank, queued);
    const RankMeasurements& named = steps.front().ranks[latest.rank];
    const double worksMore =
        typical(steps, latest.rank, ownWork(named)) - typicalOfOthers(steps, latest.rank, ownWork(named));
    const double needed = kExplained * latest.lostNs;
    verdict.share = latest.share;
    verdict.lostMs = latest.lostNs / 1e6;
    verdict.rank = static_cast<int>(latest.rank);
    if (worksMore - std::max(queuedMore, 0.0) >= needed) {
        const Excess excess = largestExcess(steps, latest.rank);
        verdict.finding = StepsFinding::kStraggler;
        verdict.phase = excess.phase;
        verdict.text = lateText(verdict, steps.front().isPipeline) + excessText(excess, steps.front().isPipeline) + ".";
        verdict.advice = stragglerAdvice(excess.phase);
        return true;
    }
    const bool othersQueue = typicalOfOthers(steps, latest.rank, queued) >= kCrowdedShare * stepNs;
    if (queuedMore >= needed && !othersQueue && seenSteps * stepNs >= kTakenForNs) {
        verdict.finding = StepsFinding::kCpuTaken;
        verdict.text = lateText(verdict, steps.front().isPipeline) + "other programs use its CPU for " +
                       inMilliseconds(typical(steps, latest.rank, queued)) + " of this time.";
        verdict.advice =
            "End other programs on this computer, or move them to another computer, or give the ranks dedicated CPUs.";
        return true;
    }
    verdict.share = verdict.lostMs = 0;
    verdict.rank = -1;
    return false;
}

double shareOf(std::span<const StepMeasurements> steps, double stepNs, Phase phase) {
    return typicalOfAll(steps, in(phase)) / stepNs;
}

// Returns the time for which the rank with the longest wait in a step waits for a CPU: median over the steps, in
// nanoseconds.
double longestQueueNs(std::span<const StepMeasurements> steps) {
    std::vector<double> longest;
    for (const StepMeasurements& step : steps) {
        const std::int64_t most = std::ranges::max_element(step.ranks, {}, &RankMeasurements::queuedNs)->queuedNs;
        longest.push_back(static_cast<double>(std::min(most, step.lengthNs)));
    }
    return medianOf(std::move(longest));
}

// True if the ranks have too few CPUs. Then writes the finding kCrowded into `verdict`.
bool explainQueue(std::span<const StepMeasurements> steps, StepsVerdict& verdict) {
    const double stepNs = 1e6 * verdict.stepMs;
    const double queue = typicalOfAll(steps, queued) / stepNs;
    const double longestNs = longestQueueNs(steps);
    if (queue < kCrowdedShare && longestNs < kWorstQueue * stepNs) return false;
    verdict.finding = StepsFinding::kCrowded;
    verdict.text = queue >= kCrowdedShare
                       ? "The ranks wait for a CPU in " + percent(queue) + " of each step (median)"
                       : "In each step the other ranks wait for a rank that has no CPU, for " +
                             inMilliseconds(longestNs) + " of " + inMilliseconds(stepNs) + " per step (median)";
    verdict.text += ": there are more ranks than CPUs, or other programs use them.";
    verdict.advice = "A run with fewer ranks is as fast here. An overloaded computer hides which rank is slow.";
    return true;
}

void explainCommunication(std::span<const StepMeasurements> steps, StepsVerdict& verdict) {
    const StepMeasurements& last = steps.back();
    const double perCollective = static_cast<double>(last.bytes) / std::max(last.collectives, 1);
    const double stepNs = 1e6 * verdict.stepMs;
    const std::string moving = percent(shareOf(steps, stepNs, Phase::kMoving));
    const std::string mebibytes = fmt::format("{:.1f} MiB", static_cast<double>(last.bytes) / (1 << 20));
    if (perCollective >= kSmallMessage) {
        verdict.finding = StepsFinding::kBytes;
        verdict.text =
            "Transferring " + mebibytes + " between ranks takes " + moving + " of each step of all ranks (median).";
        verdict.advice =
            "Train on more samples per step (loader.batch_size, training.accumulate_steps) to send the same bytes less "
            "often; a faster link or fewer bytes help as well.";
    } else {
        verdict.finding = StepsFinding::kRoundTrips;
        const bool one = last.collectives == 1;  // a single collective cannot be merged with other collectives
        verdict.text = (one ? "One small collective per step takes "
                            : std::to_string(last.collectives) + " small collectives per step take ") +
                       moving +
                       " of each step of all ranks (median): the number of round trips is the cause, not the bytes.";
        verdict.advice =
            one ? "Train on more samples per step (loader.batch_size, training.accumulate_steps)."
            : last.isSharded
                ? "Use larger layers, or train on more samples per step (loader.batch_size): each parameter is "
                  "gathered and each gradient is scattered separately."
                : "Use fewer and larger buckets (parallel.bucket_cap_mb), or train on more samples per step.";
    }
}

void judgeTogether(std::span<const StepMeasurements> steps, const Latest& latest, StepsVerdict& verdict) {
    const double stepNs = 1e6 * verdict.stepMs;
    const double data = shareOf(steps, stepNs, Phase::kDataWait);
    const double queue = typicalOfAll(steps, queued) / stepNs;
    if (data >= kMuch && data >= queue) {
        verdict.finding = StepsFinding::kData;
        verdict.text = "All ranks wait for data in " + percent(data) + " of each step (median).";
        verdict.advice = "Load samples ahead in threads (loader.num_workers), or make them faster to read.";
        // tested before communication, because a rank that waits for a CPU cannot transfer data
    } else if (explainQueue(steps, verdict)) {
        return;
    } else if (shareOf(steps, stepNs, Phase::kMoving) >= kMuch) {
        explainCommunication(steps, verdict);
    } else if (latest.lostByAllNs >= 2 * kNoticeable * stepNs && latest.share >= kLateShare) {
        verdict.finding = StepsFinding::kTooFewSteps;
        verdict.text = "Ranks wait for each other, but too little time was traced to name the late rank.";
    } else if (latest.lostByAllNs >= 2 * kNoticeable * stepNs) {
        verdict.finding = StepsFinding::kRotating;
        verdict.lostMs = latest.lostByAllNs / 1e6;
        verdict.text = "A different rank arrives last each time; waiting for it costs " +
                       inMilliseconds(latest.lostByAllNs) + " of " + inMilliseconds(stepNs) + " per step (median).";
        verdict.advice =
            "Batches differ in compute time, or the computer is busy: check the samples of the slow steps.";
    } else if (stepNs < kShortStepNs && typicalOfAll(steps, computing) < stepNs / 2) {
        verdict.finding = StepsFinding::kLittleWork;
        verdict.text = "Computation takes only " + inMilliseconds(typicalOfAll(steps, computing)) + " of " +
                       inMilliseconds(stepNs) + " per step (median).";
        verdict.advice = "Larger batches (loader.batch_size) or a larger model use the ranks better.";
    } else {
        verdict.finding = StepsFinding::kBalanced;
        verdict.text = steps.front().ranks.size() == 1 ? "A run with one rank has no rank to wait for."
                       : steps.front().isPipeline
                           ? "No rank keeps the other ranks waiting longer than the schedule of the pipeline does."
                           : "No rank keeps the other ranks waiting.";
    }
}

}  // namespace

StepsVerdict judgeSteps(std::span<const StepMeasurements> steps) {
    StepsVerdict verdict;
    verdict.steps = static_cast<std::int64_t>(steps.size());
    if (steps.size() < kMinSteps || steps.front().ranks.empty()) {
        verdict.text = "Too few steps were traced to determine where the time is spent.";
        return verdict;
    }
    const bool meets = std::ranges::any_of(steps, [](const StepMeasurements& step) { return step.collectives > 0; });
    if (steps.front().ranks.size() > 1 && !meets) {
        verdict.finding = StepsFinding::kNotKnown;
        verdict.text = "The arrival times at collectives are not known here, so no late rank can be named.";
        return verdict;
    }
    std::vector<double> lengths;
    for (const StepMeasurements& step : steps) lengths.push_back(static_cast<double>(step.lengthNs));
    verdict.stepMs = medianOf(std::move(lengths)) / 1e6;
    const Latest latest = latestRank(steps);
    if (steps.front().ranks.size() > 1 && nameRank(steps, latest, verdict)) return verdict;
    judgeTogether(steps, latest, verdict);
    return verdict;
}

}  // namespace ringside
