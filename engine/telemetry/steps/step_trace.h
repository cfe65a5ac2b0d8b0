// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

// Parts of the whole model's work that a rank does by plan: 1 where every rank trains the whole model.
struct PlannedShares {
    double compute = 1;  // of the arithmetic of forward and backward
    double update = 1;   // of the parameters that the optimizer updates

    bool isWhole() const { return *this == PlannedShares{}; }
    bool operator==(const PlannedShares&) const = default;
};

// Returns how many times as much of a phase the plan gives a rank as another rank, at least 1: a light stage that takes
// as long as the others delays no rank.
double plannedTimes(const PlannedShares& rank, const PlannedShares& other, Phase phase);

// "trace": what one rank did in one traced step, as columns. Times in nanoseconds: beginNs since the run started, on
// the run's one clock (CLOCK_MONOTONIC); all others since beginNs.
struct StepTrace {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // from 1
    std::int64_t beginNs = 0;
    std::int64_t lengthNs = 0;
    std::int64_t cpuNs = 0;      // CPU time of the training thread
    std::int64_t queuedNs = -1;  // in which it could have run but others had the CPU; -1: the kernel does not say

    PlannedShares planned = {};

    // The phases of the training thread in order: each lasts until the next begins, the last until the step's end.
    std::vector<std::int64_t> phase;  // a Phase
    std::vector<std::int64_t> at;     // it begins
    std::vector<std::int64_t> cpu;    // CPU time used until then
    std::vector<std::int64_t> layer;  // of the model, -1 for none; empty unless layers are traced

    // The collectives of the step in the order in which they ended.
    std::vector<std::int64_t> group;       // of ranks: 0 for all
    std::vector<std::int64_t> collective;  // its number in the group
    std::vector<std::int64_t> kind;        // a CollectiveKind
    std::vector<std::int64_t> bytes;       // of this rank's buffer
    std::vector<std::int64_t> ready;       // this rank wanted it
    std::vector<std::int64_t> arrived;     // this rank entered it
    std::vector<std::int64_t> last;        // the last rank entered it; -1: not known here
    std::vector<std::int64_t> ended;       // its result was there

    // This rank's ends of the messages between the stages of a pipeline, in order; see MessageStamp.
    std::vector<std::int64_t> message;  // its number
    std::vector<std::int64_t> messagePeer;
    std::vector<std::int64_t> messageBytes;
    std::vector<std::int64_t> messageSent;  // 1: this rank sends it, 0: receives it
    std::vector<std::int64_t> messageAt;
    std::vector<std::int64_t> messageEnded;

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

// Nanoseconds by phase.
using PhaseTimes = std::array<std::int64_t, kPhaseCount>;

inline std::int64_t& timeOf(PhaseTimes& times, Phase phase) {
    return times[static_cast<std::size_t>(phase)];
}
inline std::int64_t timeOf(const PhaseTimes& times, Phase phase) {
    return times[static_cast<std::size_t>(phase)];
}

PhaseTimes phaseTimes(const StepTrace& trace);

// Where the training thread waited in a collective, the time from the arrival of its last rank on becomes kMoving.
void tellWaitingFromMoving(StepTrace& trace);

}  // namespace ringside
