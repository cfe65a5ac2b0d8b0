// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/data/trace_data.h"

namespace ringside {

// What to change before recorded steps are replayed. The work of each rank and its order stay.
struct StepChange {
    int withoutDelayOf = -1;  // this rank takes the others' median in every phase; -1: as it was
    double bandwidth = 1;     // times as much
    double latency = 1;       // times as long
    bool noOverlap = false;   // collectives begin when the backward pass is over
    double bucketMiB = 0;     // gradients move in buckets of this size; 0: as they did
    int worldSize = 0;        // so many ranks, each with the work of one of the recorded; 0: as many as there were

    bool operator==(const StepChange&) const = default;
    bool changesNothing() const { return *this == StepChange{}; }
};

// Milliseconds a step.
struct ReplayResult {
    std::int64_t steps = 0;  // 0: none can be replayed, or the steps say nothing about the change
    std::string unanswered;  // reason if the steps say nothing about the change
    double measured = 0;
    double replayed = 0;   // nothing changed: how well the model fits
    double predicted = 0;  // with the change
    double low = 0;        // 90 % of the means that other steps like these would give, the model's own error added
    double high = 0;
};

// The graph of spans and waits of each complete step, played again: every rank works, a collective moves once its last
// rank has arrived, and who waits for it goes on when it has moved. Consecutive steps are played as one piece; a step
// without its neighbours as often as is needed to see its pace.
ReplayResult replaySteps(const TraceData& trace, const StepChange& change);

// What the ranks would have done in the last steps, at most so many: to be drawn like a trace. Empty where
// replaySteps() gives no answer.
TraceData replayedTrace(const TraceData& trace, const StepChange& change, std::size_t most);

}  // namespace ringside
