// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

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

    bool isEven() const {
        const std::size_t spans = phase.size();
        const std::size_t n = collective.size();
        return at.size() == spans && cpu.size() == spans && (layer.empty() || layer.size() == spans) &&
               group.size() == n && kind.size() == n && bytes.size() == n && ready.size() == n && arrived.size() == n &&
               last.size() == n && ended.size() == n;
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
