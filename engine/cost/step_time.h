// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cost/cost_subject.h"
#include "cost/step_traffic.h"

namespace ringside {

// What this machine does, as measured where it was, else as such machines do.
struct MachineRates {
    double flopsPerSecond = 2e10;  // of a rank with a processor for itself
    double bytesPerSecond = 3e9;   // from rank to rank
    double secondsPerCollective = 2e-5;
    int processors = 1;
    bool measured = false;
};

// Those of ranks that parallel.pace slows down: of the device and the link the slower one, and a link's latency for
// each round of a collective.
MachineRates pacedRates(MachineRates rates, const PaceConfig& pace, std::int64_t rounds);

enum class StepLimit { kArithmetic, kIdleRanks, kProcessors, kLinks };

// A step in seconds, by what it goes into.
struct StepTime {
    double arithmetic = 0;  // of all ranks, evenly shared
    double idle = 0;        // ranks wait for other stages
    double crowded = 0;     // ranks wait for processors; those that sleep for their pace need none
    double links = 0;

    double all() const { return arithmetic + idle + crowded + links; }
    // Part of the time of forward and backward passes in which the average rank waits for other stages: the quantity
    // that measuredIdleShare() measures. Waiting for a processor within a pass counts as the pass, and collectives
    // count as neither.
    double idleShare() const {
        const double passes = arithmetic + crowded + idle;
        return passes > 0 ? idle / passes : 0;
    }
    StepLimit limit() const;
};

// "idle ranks", "the links": what a step takes longest for besides arithmetic, or that.
std::string limitText(StepLimit limit);

StepTime predictTime(const CostSubject& subject, const StrategyPlan& plan, const StepTraffic& most,
                     const MachineRates& machine);

// Operations of a step on all ranks of a pipeline: forward, and backward by the inputs and by the weights.
double stepFlops(const CostSubject& subject, const StrategyPlan& plan);

// Part of the schedule in which the average rank does nothing, were all stages alike: by simulation, which for GPipe
// and 1F1B comes to (P-1)/(M+P-1).
double idleShareOf(const Schedule& schedule);

}  // namespace ringside
