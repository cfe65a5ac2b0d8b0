// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "telemetry/events/events.h"
#include "telemetry/steps/step_trace.h"
#include "telemetry/steps/steps_verdict.h"

namespace ringside {

// Time that the training thread spent in one phase. All times in this file are nanoseconds since the run started, on
// the run's clock.
struct Span {
    Phase phase = Phase::kIdle;
    int layer = -1;  // layer of the model; -1: no layer, or layers are not traced
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t cpuNs = 0;  // CPU time used in the span
};

// A collective on one rank; see CollectiveStamp.
struct CollectiveSpan {
    std::int64_t group = 0;
    std::int64_t number = 0;
    int kind = 0;  // kind of the collective as a number: a CollectiveKind
    std::int64_t bytes = 0;
    std::int64_t readyNs = 0;
    std::int64_t arrivedNs = 0;
    std::int64_t lastNs = -1;  // arrival of the last rank at the collective; -1: not known
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

// Trace of one rank in one step.
struct RankTrace {
    bool known = false;  // true if the complete trace was received
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t cpuNs = 0;
    std::int64_t queuedNs = -1;
    std::vector<Span> spans;                  // phases of the training thread, without gaps
    std::vector<CollectiveSpan> collectives;  // collectives of the step; they may overlap the spans
    std::vector<MessageEnd> messages;
    PlannedShares planned;
    PhaseTimes times{};  // total time by phase
};

// One collective on all ranks, with their arrivals.
struct CollectiveArrivals {
    std::int64_t group = 0;
    std::int64_t number = 0;
    int kind = 0;
    int bucket = 0;  // index among the step's collectives, from 0
    std::int64_t bytes = 0;
    std::vector<std::int64_t> arrivedNs;  // arrival of each rank at the collective; -1: the rank does not take part
    int lastRank = -1;
    std::int64_t lastNs = 0;               // arrival of lastRank at the collective
    std::int64_t secondLastArrivalNs = 0;  // arrival of the rank that arrived last but one
    std::int64_t endedNs = 0;              // latest end of the collective on any rank
};

// Trace of one step of all ranks.
struct TracedStep {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::vector<RankTrace> ranks;
    std::vector<CollectiveArrivals> arrivals;  // collectives of complete steps, in the order of their last arrivals
    // Result of delayCosts() for complete steps of a pipeline, by rank. Empty if no messages were recorded.
    std::vector<std::int64_t> delayCostNs;
    int known = 0;  // number of ranks whose trace is complete
    bool complete() const { return known == static_cast<int>(ranks.size()); }
    // True if parameters are gathered before use or gradients are scattered. The gradients of such steps are not
    // all-reduced in buckets.
    bool isSharded() const;
};

// The latest traced steps of all ranks, live or from files, in bounded memory.
class TraceData {
  public:
    static constexpr std::size_t kMaxSteps = 2000;
    // Limit of steps times ranks: fewer steps are kept for more than 64 ranks.
    static constexpr std::size_t kMaxRankSteps = 1U << 17;

    // Keeps at most `most` steps, or fewer if kMaxRankSteps allows fewer for this number of ranks.
    explicit TraceData(int worldSize, std::size_t most = kMaxSteps);

    // Adds a trace. Returns false if its rank is not in the run, its columns differ in length, or the step is too old.
    bool apply(const StepTrace& trace);
    // Records a control command of the run, for isAfterPause().
    void apply(const Controlled& control);

    std::size_t worldSize() const { return m_worldSize; }
    // Returns the traced steps by step number.
    const std::map<std::int64_t, TracedStep>& steps() const { return m_steps; }
    const TracedStep* find(std::int64_t step) const;
    // True if a pause or slow motion delayed the ranks between the preceding step and `step`.
    bool isAfterPause(std::int64_t step) const;
    // Returns the last step that began at or before this time; the first step if none did; null if there are no steps.
    const TracedStep* at(std::int64_t timeNs) const;
    std::int64_t endNs() const { return m_endNs; }         // returns the end of the latest span
    std::uint64_t revision() const { return m_revision; }  // returns a number that increases with each applied trace

    // Returns the last complete steps, at most `most`, as a copy that another thread can read while this object
    // changes.
    TraceData latest(std::size_t most) const;

    // Explains the duration of the last complete steps, at most `most`.
    StepsVerdict verdict(std::size_t most = 200) const;

  private:
    std::size_t m_worldSize;
    std::size_t m_most;
    std::map<std::int64_t, TracedStep> m_steps;
    // Steps after which the ranks were paused or delayed: first and last step of each interval, in order of recording.
    std::vector<std::pair<std::int64_t, std::int64_t>> m_pausedAfter;
    std::optional<std::int64_t> m_slowAfter;  // first step after which slow motion delays the ranks; empty: it is off
    std::int64_t m_endNs = 0;
    std::uint64_t m_revision = 0;
};

}  // namespace ringside
