// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

// Shares of the model's total work (0 to 1) that the strategy assigns to one rank. Both are 1 if every rank trains the
// whole model.
struct PlannedShares {
    double compute = 1;  // share of the computation in forward and backward passes
    double update = 1;   // share of the parameters that the optimizer updates

    bool isWhole() const { return *this == PlannedShares{}; }
    bool operator==(const PlannedShares&) const = default;
};

// Returns the planned work of `rank` in a phase, divided by that of `other`, but at least 1: a rank with less planned
// work may take as long as the other rank without delaying it.
double plannedWorkRatio(const PlannedShares& rank, const PlannedShares& other, Phase phase);

// "trace": activities of one rank in one traced step, as columns. All times are in nanoseconds. beginNs is measured
// from the start of the run, on CLOCK_MONOTONIC; all other times are measured from beginNs.
struct StepTrace {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // number of the step, counted from 1
    std::int64_t beginNs = 0;
    std::int64_t lengthNs = 0;  // length of the step; -1: the step was unfinished when it was reported
    std::int64_t cpuNs = 0;     // CPU time that the training thread used in the step
    // Time for which the training thread was ready to run but had no CPU; -1: the kernel does not report it.
    std::int64_t queuedNs = -1;

    PlannedShares planned = {};

    // Spans of the training thread, in order: each span is the time in one phase. A span lasts until the next one
    // begins; the last span lasts until the end of the step.
    std::vector<std::int64_t> phase;  // phase of each span as a number: a Phase
    std::vector<std::int64_t> at;     // start of each span
    std::vector<std::int64_t> cpu;    // CPU time that the thread had used in the step at the start of each span
    // index of the layer that each span works on, -1: none; empty unless layers are traced
    std::vector<std::int64_t> layer;

    // Collectives of the step, in the order in which they ended.
    std::vector<std::int64_t> group;       // number of the group of ranks of each collective; 0: all ranks
    std::vector<std::int64_t> collective;  // number of each collective in its group
    std::vector<std::int64_t> kind;        // kind of each collective as a number: a CollectiveKind
    std::vector<std::int64_t> bytes;       // size of this rank's buffer in each collective, in bytes
    std::vector<std::int64_t> ready;       // time at which this rank requested the collective
    std::vector<std::int64_t> arrived;     // time at which this rank began to take part in the collective
    // Time at which the last rank began to take part in the collective; -1: this rank does not know it.
    std::vector<std::int64_t> last;
    std::vector<std::int64_t> ended;  // time at which the result was available on this rank

    // Messages that this rank sent to or received from other stages of a pipeline, in order. See MessageStamp.
    std::vector<std::int64_t> message;  // number of each message
    std::vector<std::int64_t> messagePeer;
    std::vector<std::int64_t> messageBytes;
    std::vector<std::int64_t> messageSent;  // 1: this rank sent the message; 0: this rank received the message
    std::vector<std::int64_t> messageAt;
    std::vector<std::int64_t> messageEnded;

    // True if all columns about spans have the same length, all columns about collectives, and all columns about
    // messages.
    bool hasEqualColumnLengths() const {
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

// Total time in each phase, in nanoseconds. The index is the value of Phase.
using PhaseTimes = std::array<std::int64_t, kPhaseCount>;

inline std::int64_t& timeOf(PhaseTimes& times, Phase phase) {
    return times[static_cast<std::size_t>(phase)];
}
inline std::int64_t timeOf(const PhaseTimes& times, Phase phase) {
    return times[static_cast<std::size_t>(phase)];
}

// Returns the time that the training thread spent in each phase.
PhaseTimes phaseTimes(const StepTrace& trace);

// Splits each kWaiting span of the training thread: the part after the last rank has entered the collective becomes
// kMoving.
void separateWaitingFromMoving(StepTrace& trace);

}  // namespace ringside
