// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "telemetry/steps/step_trace.h"
#include "telemetry/steps/steps_verdict.h"

namespace ringside {

// All times in nanoseconds since the run started, on the run's one clock.
struct Span {
    Phase phase = Phase::kIdle;
    int layer = -1;  // of the model; -1: none, or not traced
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t cpuNs = 0;  // CPU time used in it
};

// A collective on one rank's lane.
struct CollectiveSpan {
    std::int64_t group = 0;
    std::int64_t number = 0;
    int kind = 0;  // a CollectiveKind
    std::int64_t bytes = 0;
    std::int64_t readyNs = 0;
    std::int64_t arrivedNs = 0;
    std::int64_t lastNs = -1;  // the last rank arrived; -1: cannot be told
    std::int64_t endedNs = 0;
};

// One end of a message between the stages of a pipeline; see MessageStamp.
struct MessageEnd {
    int peer = 0;
    std::int64_t number = 0;
    std::int64_t bytes = 0;
    bool isSent = false;
    std::int64_t atNs = 0;
    std::int64_t endedNs = 0;
};

// One rank in one step.
struct RankTrace {
    bool known = false;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t cpuNs = 0;
    std::int64_t queuedNs = -1;
    std::vector<Span> spans;                  // of the training thread, without gaps
    std::vector<CollectiveSpan> collectives;  // may go on beside the spans
    std::vector<MessageEnd> messages;
    PlannedShares planned;
    PhaseTimes times{};
};

// One collective on all ranks: who came when.
struct Meeting {
    std::int64_t group = 0;
    std::int64_t number = 0;
    int kind = 0;
    int bucket = 0;  // which of the step's collectives, from 0
    std::int64_t bytes = 0;
    std::vector<std::int64_t> arrivedNs;  // by rank; -1: takes no part
    int lastRank = -1;
    std::int64_t lastNs = 0;    // its arrival
    std::int64_t secondNs = 0;  // that of the one before it
    std::int64_t endedNs = 0;   // on the rank where it ended last
};

struct TracedStep {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::vector<RankTrace> ranks;
    std::vector<Meeting> meetings;  // of complete steps, in order of their last arrival
    // Of complete steps of a pipeline, by rank: delayCosts(). Empty where no messages were recorded.
    std::vector<std::int64_t> delayCostNs;
    int known = 0;  // ranks
    bool complete() const { return known == static_cast<int>(ranks.size()); }
    // Parameters are gathered before they are used, or gradients scattered: there are no buckets.
    bool isSharded() const;
};

// The traced steps of all ranks, live and from files: the latest of them, in bounded memory.
class TraceData {
  public:
    static constexpr std::size_t kMaxSteps = 2000;
    static constexpr std::size_t kMaxRankSteps = 1U << 17;  // fewer steps for more than 64 ranks

    // most: steps that are kept, where fewer than the above.
    explicit TraceData(int worldSize, std::size_t most = kMaxSteps);

    // False: of no rank of this run, or too old.
    bool apply(const StepTrace& trace);

    std::size_t worldSize() const { return m_worldSize; }
    const std::map<std::int64_t, TracedStep>& steps() const { return m_steps; }  // by number
    const TracedStep* find(std::int64_t step) const;
    // The one that goes on at this time, or the last before it.
    const TracedStep* at(std::int64_t timeNs) const;
    std::int64_t endNs() const { return m_endNs; }         // of the latest span
    std::uint64_t revision() const { return m_revision; }  // grows with each trace

    // A copy of the last complete steps, at most so many, to be read while these go on.
    TraceData latest(std::size_t most) const;

    // Over the last complete steps, at most so many.
    StepsVerdict verdict(std::size_t most = 200) const;

  private:
    std::size_t m_worldSize;
    std::size_t m_most;
    std::map<std::int64_t, TracedStep> m_steps;
    std::int64_t m_endNs = 0;
    std::uint64_t m_revision = 0;
};

}  // namespace ringside
