// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

// Shares of the whole model's work that the plan assigns to a rank. Both are 1 if every rank trains the whole model.
struct PlannedShares {
    double compute = 1;  // share of the arithmetic of the forward and backward passes
    double update = 1;   // share of the parameters that the optimizer updates

    bool isWhole() const { return *this == PlannedShares{}; }
    bool operator==(const PlannedShares&) const = default;
};

// Returns the ratio of the planned work of `rank` to that of `other` in a phase, but at least 1: a rank with less work
// than the other ranks delays no rank if it takes as long as the other ranks.
double plannedTimes(const PlannedShares& rank, const PlannedShares& other, Phase phase);

// "trace": what one rank did in one traced step, as columns. Times are nanoseconds: beginNs counts from the start of
// the run on the run's clock (CLOCK_MONOTONIC), all other times from beginNs.
struct StepTrace {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // number of the step, counted from 1
    std::int64_t beginNs = 0;
    std::int64_t lengthNs = 0;  // length of the step; -1: the step was unfinished when it was reported
    std::int64_t cpuNs = 0;     // CPU time of the training thread
    // Time in which the thread was runnable but had no CPU; -1: the kernel does not report it.
    std::int64_t queuedNs = -1;

    PlannedShares planned = {};

    // Phases of the training thread in order. Each lasts until the next begins, the last until the end of the step.
    std::vector<std::int64_t> phase;  // phase of each span as a number: a Phase
    std::vector<std::int64_t> at;     // begin of each span
    std::vector<std::int64_t> cpu;    // CPU time used until each span's begin
    std::vector<std::int64_t> layer;  // layer of the model of each span, -1: none; empty unless layers are traced

    // The collectives of the step in the order in which they ended.
    std::vector<std::int64_t> group;       // group of ranks of each collective; 0: all ranks
    std::vector<std::int64_t> collective;  // number of each collective in its group
    std::vector<std::int64_t> kind;        // kind of each collective as a number: a CollectiveKind
    std::vector<std::int64_t> bytes;       // size of this rank's buffer for each collective
    std::vector<std::int64_t> ready;       // time at which this rank requested the collective
    std::vector<std::int64_t> arrived;     // time at which this rank entered the collective
    // Time at which the last rank entered the collective; -1: not known to this rank.
    std::vector<std::int64_t> last;
    std::vector<std::int64_t> ended;  // time at which the result was available

    // This rank's ends of the messages between the stages of a pipeline, in order. See MessageStamp.
    std::vector<std::int64_t> message;  // number of each message
    std::vector<std::int64_t> messagePeer;
    std::vector<std::int64_t> messageBytes;
    std::vector<std::int64_t> messageSent;  // direction of each message: 1 if this rank sends it, 0 if this rank
                                            // receives it
    std::vector<std::int64_t> messageAt;
    std::vector<std::int64_t> messageEnded;

    // True if the columns that belong together have equal lengths.
    bool isEven() const {
        const std::size_t spans = phase.size();
        const std::size_t n = collective.size();
        const std::size_t m = message.size();
        return at.size() == spans && cpu.size() == spans && (layer.empty() || layer.size() == spans) &&
               group.size() == n && kind.size() == n && bytes.size() == n && ready.size() == n && arrived.size() == n &&
               last.size() == n && ended.size() == n && messagePeer.size() == m && messageBytes.size() == m &&
               messageSent.size() == m && messageAt.size() == m && messageEnded.size() == m;
    }
    bool operator==(const StepTrace&) const = default;
};

// Total time in each phase, in nanoseconds; the index is the Phase.
using PhaseTimes = std::array<std::int64_t, kPhaseCount>;

inline std::int64_t& timeOf(PhaseTimes& times, Phase phase) {
    return times[static_cast<std::size_t>(phase)];
}
inline std::int64_t timeOf(const PhaseTimes& times, Phase phase) {
    return times[static_cast<std::size_t>(phase)];
}

// Returns the time that the training thread spent in each phase.
PhaseTimes phaseTimes(const StepTrace& trace);

// Splits the kWaiting spans of the training thread: the time between the arrival of a collective's last rank and the
// collective's end becomes kMoving.
void separateWaitingFromMoving(StepTrace& trace);

}  // namespace ringside
