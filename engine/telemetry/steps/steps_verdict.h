// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "telemetry/steps/step_trace.h"

namespace ringside {

// One step of one rank, as far as the verdict needs it.
struct RankBrief {
    PhaseTimes times{};
    std::int64_t queuedNs = 0;  // it could have run but others had the CPU
    // What the rank cost the others. Without a pipeline, the time in which all waited for it alone: its arrival after
    // the last but one, summed over the collectives. In a pipeline delayCosts(), which excludes what the schedule
    // costs.
    std::int64_t lostNs = 0;
    PlannedShares planned = {};
};

struct StepBrief {
    std::int64_t step = 0;
    std::int64_t lengthNs = 0;
    std::int64_t bytes = 0;  // of all collectives, on one rank
    int collectives = 0;
    bool isPipeline = false;
    bool isSharded = false;  // parameters are gathered, gradients are scattered
    std::vector<RankBrief> ranks;
};

enum class StepsFinding {
    kNotKnown,     // nothing tells when ranks arrive at their collectives: on a device, or none was traced
    kTooFewSteps,  // to say anything
    kBalanced,     // nothing stands out
    kStraggler,    // one rank keeps the others waiting, by what it does
    kCpuTaken,     // one rank does, because other programs have its CPU
    kRotating,     // a different one each time
    kCrowded,      // the ranks take turns on too few CPUs
    kData,         // all wait for data
    kBytes,        // the collectives' bytes take the time
    kRoundTrips,   // their number does
    kLittleWork,   // steps are so short that everything else costs more
};

// Why steps take the time they take, in one sentence, and what to do about it.
struct StepsVerdict {
    StepsFinding finding = StepsFinding::kTooFewSteps;
    int rank = -1;               // kStraggler, kCpuTaken
    Phase phase = Phase::kIdle;  // in which it is late: kStraggler
    double share = 0;            // of the steps in which it came last
    double lostMs = 0;           // a step, that are spent waiting for it alone
    double stepMs = 0;
    std::int64_t steps = 0;  // looked at
    std::string text;        // "Rank 2 arrives last in 94 % of steps and costs 41.0 ms of 55.0 ms per step; ..."
    std::string advice;

    bool namesRank() const { return rank >= 0; }
    std::string whole() const { return advice.empty() ? text : text + " " + advice; }
};

// Judges by the times at which ranks arrive at collectives and at messages. The lengths of phases only explain why a
// late rank was late: a rank's work is compared with the others', in a pipeline scaled by the planned shares. All steps
// have the same number of ranks.
StepsVerdict judgeSteps(std::span<const StepBrief> steps);

}  // namespace ringside
