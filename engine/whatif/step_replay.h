// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Change to apply before recorded steps are replayed. The order of each rank's work stays the same.
struct StepChange {
    int withoutDelayOf = -1;  // rank whose work in each phase is limited to the median of the other ranks; -1: no rank
    double bandwidth = 1;     // factor by which the bandwidth is multiplied
    double latency = 1;       // factor by which the latency is multiplied
    bool noOverlap = false;   // true: a rank requests its collectives only when it must wait for one of them
    double bucketMiB = 0;     // size of the gradient buckets in MiB; 0: as recorded
    int worldSize = 0;        // number of ranks, each with the work of a recorded rank; 0: as recorded

    bool operator==(const StepChange&) const = default;
    bool changesNothing() const { return *this == StepChange{}; }
};

// Result of a replay. Times are milliseconds per step.
struct ReplayResult {
    // Number of replayed steps; 0 if no step could be replayed, or if the steps cannot predict the change.
    std::int64_t steps = 0;
    // Number of complete steps that are not used because the ranks paused within them: in slow motion of at most
    // RunPauses::kShowsPhasesAt steps per second, or for an inspection.
    std::int64_t pausedSteps = 0;
    // Reason why the steps cannot be used to predict the effect of the change; empty if they can.
    std::string unanswered;
    double measured = 0;   // mean length of the recorded steps
    double replayed = 0;   // mean of the replay without a change; shows the error of the model
    double predicted = 0;  // mean of the replay with the change
    // Lower end of the 90 % interval of the predicted mean, widened by the error of the model. If the change removes
    // the delay of a pipeline rank, the interval is also widened by the error of the planned shares.
    double low = 0;
    double high = 0;  // upper end of the 90 % interval
};

// Predicts the length of a step after a change by replaying the complete recorded steps.
//
// Each step is a graph: every rank works, a collective moves its bytes once its last rank has arrived, and a rank that
// waits for the collective continues when the bytes have moved. Consecutive steps are replayed as one piece, without
// the delay of slow motion between them. If no two recorded steps are consecutive, each step is replayed twice and the
// second replay is timed.
ReplayResult replaySteps(const TraceData& trace, const StepChange& change);

// Returns the replay of the last complete steps, at most `most`, as a trace that can be drawn. Empty if replaySteps()
// cannot predict the change.
TraceData replayedTrace(const TraceData& trace, const StepChange& change, std::size_t most);

}  // namespace ringside
