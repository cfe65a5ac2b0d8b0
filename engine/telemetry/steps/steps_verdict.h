// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "telemetry/steps/step_trace.h"

namespace ringside {

// Times of one rank in one step that the verdict uses.
struct RankMeasurements {
    PhaseTimes times{};
    std::int64_t queuedNs = 0;  // time in which the rank was runnable but had no CPU
    // Time that the other ranks lost because of this rank. Without a pipeline: the time in which all ranks waited for
    // this rank alone, that is, its arrival minus that of the rank before it, summed over the collectives in which it
    // was last. In a pipeline: delayCosts(), which excludes waiting caused by the schedule.
    std::int64_t lostNs = 0;
    PlannedShares planned = {};
};

// Times of all ranks in one complete step that the verdict uses.
struct StepMeasurements {
    std::int64_t step = 0;
    std::int64_t lengthNs = 0;
    std::int64_t bytes = 0;  // bytes of all collectives on one rank
    int collectives = 0;
    bool isPipeline = false;
    bool isSharded = false;  // true if parameters are gathered or gradients are scattered
    std::vector<RankMeasurements> ranks;
};

// Reason for the duration of the steps.
enum class StepsFinding {
    kNotKnown,     // the arrival times at collectives are not known: the collectives run on a GPU, or none was traced
    kTooFewSteps,  // there are too few steps for a finding
    kBalanced,     // no cause stands out
    kStraggler,    // one rank delays the others by its own work
    kCpuTaken,     // one rank delays the others because other programs use its CPU
    kRotating,     // a different rank is late in each step
    kCrowded,      // the ranks share too few CPUs
    kData,         // all ranks wait for data
    kBytes,        // moving the collectives' bytes takes the time
    kRoundTrips,   // the latency of many small collectives takes the time
    kLittleWork,   // steps are so short that overhead dominates
};

// Explanation of the duration of the steps in one sentence, with advice.
struct StepsVerdict {
    StepsFinding finding = StepsFinding::kTooFewSteps;
    int rank = -1;               // the late rank, for kStraggler and kCpuTaken; -1: none
    Phase phase = Phase::kIdle;  // phase in which the rank is late, for kStraggler
    double share = 0;            // share of the steps in which the rank came last
    double lostMs = 0;           // time per step that all other ranks lose because of the late rank; kRotating: because
                                 // of any late rank
    double stepMs = 0;           // median length of a step
    std::int64_t steps = 0;      // number of steps examined
    std::string text;  // "Rank 2 arrives last in 94 % of steps and costs 41.0 ms of 55.0 ms per step (median); ..."
    std::string advice;

    bool namesRank() const { return rank >= 0; }
    std::string fullText() const { return advice.empty() ? text : text + " " + advice; }
};

// Finds the reason for the duration of the steps. All steps must have the same number of ranks.
//
// The verdict is based on the times at which ranks arrive at collectives and messages. Phase lengths only explain why a
// late rank was late: its work is compared with that of the other ranks, scaled by the planned shares in a pipeline.
StepsVerdict judgeSteps(std::span<const StepMeasurements> steps);

}  // namespace ringside
