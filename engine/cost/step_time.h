// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cost/step_traffic.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Speeds of this machine. The defaults are typical values, which are used until the speeds have been measured.
struct MachineRates {
    double flopsPerSecond = 2e10;  // floating-point operations per second of a rank that uses a processor alone
    double bytesPerSecond = 3e9;   // bytes per second of the link between two ranks
    double secondsPerCollective = 2e-5;
    int processors = 1;
    bool measured = false;
};

// Returns the speeds that result from parallel.pace: computing and links are limited to the configured speeds, and the
// configured latency is added once for each of the `rounds` of a collective.
MachineRates throttledRates(MachineRates rates, const ThrottleConfig& throttle, std::int64_t rounds);

// Cause to which the largest part of the time of a step is due.
enum class StepLimit { kArithmetic, kIdleRanks, kProcessors, kLinks };

// Time of a step in seconds, by cause.
struct StepTime {
    double arithmetic = 0;  // mean computing time per rank
    double idle = 0;        // mean time in which a rank waits for other stages
    // Mean time in which a rank waits for a processor; throttled ranks need no processor while they sleep.
    double crowded = 0;
    double links = 0;

    double total() const { return arithmetic + idle + crowded + links; }
    // Part of the time of forward and backward passes in which the average rank waits for other stages: the quantity
    // that measuredIdleShare() measures. The time in which a rank waits for a processor within a pass counts as part of
    // the pass. The time of collectives counts neither as idle nor as part of the passes.
    double idleShare() const {
        const double passes = arithmetic + crowded + idle;
        return passes > 0 ? idle / passes : 0;
    }
    StepLimit limit() const;
};

// Returns the name of a cause as text: "idle ranks", "the links".
std::string limitText(StepLimit limit);

// Predicts the time of a step: simulates the schedule with the computing times of the stages, then adds the waiting for
// processors and the time of the collectives. `most` is the traffic of the rank that sends most.
StepTime predictTime(const PlanSubject& subject, const StrategyPlan& plan, const StepTraffic& most,
                     const MachineRates& machine);

// Returns the floating-point operations of a step on all ranks of one pipeline: forward pass, and backward passes for
// inputs and weights, with recomputation if configured.
double stepFlops(const PlanSubject& subject, const StrategyPlan& plan);

// Returns the mean share of idle time of the ranks in a schedule whose stages take equal time, by simulation. For GPipe
// and 1F1B, this share is (P-1)/(M+P-1), with P ranks and M micro-batches.
double idleShareOf(const Schedule& schedule);

}  // namespace ringside
