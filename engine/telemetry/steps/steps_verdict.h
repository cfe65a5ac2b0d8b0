// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "telemetry/steps/step_trace.h"

namespace ringside {

// Times of one rank in one step, from which judgeSteps() computes the verdict.
struct RankMeasurements {
    PhaseTimes times{};
    std::int64_t queuedNs = 0;  // time for which the rank was ready to run but had no CPU, in nanoseconds
    // Time that the other ranks lost because of this rank, in nanoseconds. Without a pipeline: for each collective that
    // this rank entered last, the time from the arrival of the rank before it to its own arrival. In a pipeline: the
    // result of delayCosts(), which excludes waiting caused by the schedule.
    std::int64_t lostNs = 0;
    PlannedShares planned = {};
};

// Times of all ranks in one complete step, from which judgeSteps() computes the verdict.
struct StepMeasurements {
    std::int64_t step = 0;
    std::int64_t lengthNs = 0;
    std::int64_t bytes = 0;  // total size of one rank's buffers in all collectives of the step, in bytes
    int collectives = 0;
    bool isPipeline = false;
    bool isSharded = false;  // true if parameters are gathered or gradients are scattered
    std::vector<RankMeasurements> ranks;
};

// Cause that determines the duration of the steps.
enum class StepsFinding {
    kNotKnown,     // the arrival times at collectives are unknown, because collectives run on a GPU or none was traced
    kTooFewSteps,  // there are too few steps for a finding
    kBalanced,     // no cause takes a noticeable part of the steps
    kStraggler,    // one rank delays the others by its own work
    kCpuTaken,     // one rank delays the others because other programs use its CPU
    kRotating,     // a different rank is late in each step
    kCrowded,      // the ranks share too few CPUs
    kData,         // all ranks wait for batches
    kBytes,        // the transfer of the collectives' data takes a large part of the steps, because of its size
    kRoundTrips,   // many small collectives take a large part of the steps, because of their latency
    kLittleWork,   // steps are so short that the overhead outweighs the computation
};

// Sentence that explains the duration of the steps, with advice.
struct StepsVerdict {
    StepsFinding finding = StepsFinding::kTooFewSteps;
    int rank = -1;               // rank that is late, for kStraggler and kCpuTaken; -1 for other findings
    Phase phase = Phase::kIdle;  // phase in which the rank takes longer than the other ranks, for kStraggler
    double share = 0;            // share of the steps (0 to 1) in which the rank came last
    // time per step that the other ranks lose because of the late rank, in milliseconds; for kRotating, because of the
    // late rank of each step
    double lostMs = 0;
    double stepMs = 0;       // median length of a step
    std::int64_t steps = 0;  // number of steps examined
    // for example "Rank 2 arrives last in 94 % of steps and costs 41.0 ms of 55.0 ms per step (median); ..."
    std::string text;
    std::string advice;

    bool namesRank() const { return rank >= 0; }
    std::string fullText() const { return advice.empty() ? text : text + " " + advice; }
};

// Finds the cause that determines the duration of the steps. All steps must have the same number of ranks.
//
// The cause follows from the times at which ranks arrive at collectives and messages. The lengths of phases only
// explain why a late rank was late: its work is compared with that of the other ranks; in a pipeline, the planned
// shares of work are taken into account.
StepsVerdict judgeSteps(std::span<const StepMeasurements> steps);

}  // namespace ringside
