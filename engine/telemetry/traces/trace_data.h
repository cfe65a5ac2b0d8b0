// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "telemetry/events/events.h"
#include "telemetry/steps/step_trace.h"
#include "telemetry/steps/steps_verdict.h"

namespace ringside {

// Time that the training thread spent in one phase without interruption. All times in this file are nanoseconds since
// the start of the run, on the run's clock.
struct Span {
    Phase phase = Phase::kIdle;
    int layer = -1;  // index of the layer that the thread works on; -1: no layer, or layers are not traced
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t cpuNs = 0;  // CPU time that the thread used in the span
};

// Part of one rank in one collective; see CollectiveStamp.
struct CollectiveSpan {
    std::int64_t group = 0;
    std::int64_t number = 0;
    int kind = 0;  // kind of the collective as a number: a CollectiveKind
    std::int64_t bytes = 0;
    std::int64_t readyNs = 0;
    std::int64_t arrivedNs = 0;
    std::int64_t lastNs = -1;  // time at which the last rank arrived at the collective; -1: not known
    std::int64_t endedNs = 0;
};

// Sending or receiving side of a message between two stages of a pipeline; see MessageStamp.
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
    bool known = false;  // true if the complete trace of the rank was received
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::int64_t cpuNs = 0;
    std::int64_t queuedNs = -1;
    std::vector<Span> spans;                  // spans of the training thread, which cover the step without gaps
    std::vector<CollectiveSpan> collectives;  // collectives of the step, which may take place during the spans
    std::vector<MessageEnd> messages;
    PlannedShares planned;
    PhaseTimes times{};  // total time by phase
};

// One collective with the arrival time of each rank.
struct CollectiveArrivals {
    std::int64_t group = 0;
    std::int64_t number = 0;
    int kind = 0;
    int bucket = 0;  // index of the collective among those of the step, from 0
    std::int64_t bytes = 0;
    // time at which each rank arrived at the collective; -1: the rank does not take part
    std::vector<std::int64_t> arrivedNs;
    int lastRank = -1;
    std::int64_t lastNs = 0;               // time at which lastRank arrived at the collective
    std::int64_t secondLastArrivalNs = 0;  // arrival time of the second-last rank
    std::int64_t endedNs = 0;              // time at which the collective ended on the last rank
};

// Traces of all ranks in one step.
struct TracedStep {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::vector<RankTrace> ranks;
    // collectives of the step, ordered by the arrival of their last rank; empty until the step is complete
    std::vector<CollectiveArrivals> arrivals;
    // For complete steps of a pipeline: result of delayCosts() for each rank. Empty if no messages were recorded.
    std::vector<std::int64_t> delayCostNs;
    int known = 0;  // number of ranks whose complete trace was received
    bool complete() const { return known == static_cast<int>(ranks.size()); }
    // True if the step gathers parameters before use or scatters gradients, as sharded strategies do. Such steps do not
    // all-reduce their gradients in buckets.
    bool isSharded() const;
};

// Latest traced steps of all ranks in a live or finished run, in bounded memory.
class TraceData {
  public:
    static constexpr std::size_t kMaxSteps = 2000;
    // Maximum of the number of steps times the number of ranks. With more than 64 ranks, fewer than kMaxSteps steps are
    // kept.
    static constexpr std::size_t kMaxRankSteps = 1U << 17;

    // Keeps at most `most` steps, and at most kMaxRankSteps / worldSize steps.
    explicit TraceData(int worldSize, std::size_t most = kMaxSteps);

    // Adds the trace of one rank in one step. Returns false if the rank is not in the run, the trace's columns have
    // different lengths, or the step is too old to be kept.
    bool apply(const StepTrace& trace);
    // Stores a control command of the run for isAfterPause() and isAfterSlowMotion().
    void apply(const Controlled& control);

    std::size_t worldSize() const { return m_worldSize; }
    // Returns the traced steps by step number.
    const std::map<std::int64_t, TracedStep>& steps() const { return m_steps; }
    const TracedStep* find(std::int64_t step) const;
    // True if the ranks were paused between the previous traced step and `step`.
    bool isAfterPause(std::int64_t step) const;
    // True if slow motion delayed the ranks between the previous traced step and `step`.
    bool isAfterSlowMotion(std::int64_t step) const;
    // Returns the last step that began at `timeNs` or earlier, or the first step if all began later. Null if there are
    // no steps.
    const TracedStep* at(std::int64_t timeNs) const;
    std::int64_t endNs() const { return m_endNs; }         // returns the end of the latest span
    std::uint64_t revision() const { return m_revision; }  // returns a number that increases with each added trace

    // Returns a copy of the last complete steps, at most `most`. Another thread can read the copy while this object
    // changes.
    TraceData latest(std::size_t most) const;

    // Explains the cause that determines the duration of the last complete steps, of which at most `most` are examined.
    StepsVerdict verdict(std::size_t most = 200) const;

  private:
    // Intervals of steps: last step of each interval, by its first step.
    using Intervals = std::map<std::int64_t, std::int64_t>;

    static void addInterval(Intervals& intervals, std::int64_t first, std::int64_t last);
    static bool isIn(const Intervals& intervals, std::int64_t step);

    std::size_t m_worldSize;
    std::size_t m_most;
    std::map<std::int64_t, TracedStep> m_steps;
    // Intervals of steps. Key: first step of the interval; value: last step.
    Intervals m_pausedAfter;                  // steps after which the ranks were paused
    Intervals m_delayedAfter;                 // steps after which slow motion, which is off now, delayed the ranks
    std::optional<std::int64_t> m_slowAfter;  // slow motion is on since the end of this step; empty: slow motion is off
    std::int64_t m_endNs = 0;
    std::uint64_t m_revision = 0;
};

}  // namespace ringside
