// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/time/monotonic.h"
#include "telemetry/steps/phase.h"

namespace ringside {

// One collective as one rank saw it. CLOCK_MONOTONIC in nanoseconds.
struct CollectiveStamp {
    std::int64_t group = 0;   // of ranks: 0 for all; the same number on each of its ranks
    std::int64_t number = 0;  // in the group, from 1
    std::int64_t kind = 0;    // a CollectiveKind
    std::int64_t bytes = 0;
    std::int64_t readyNs = 0;    // it was asked for
    std::int64_t arrivedNs = 0;  // this rank entered it
    std::int64_t lastNs = -1;    // the last rank did; -1: not known
    std::int64_t endedNs = 0;
    // Where a rank publishes its data before it takes part: when it did, and when the last rank did; -1: as it entered.
    std::int64_t publishedNs = -1;
    std::int64_t lastPublishedNs = -1;
};

// One end of a message between the stages of a pipeline. CLOCK_MONOTONIC in nanoseconds.
struct MessageStamp {
    int peer = 0;             // rank at the other end, in the run
    std::int64_t number = 0;  // the same at both ends, different for each message between two ranks in a step
    std::int64_t bytes = 0;
    bool isSent = false;
    std::int64_t atNs = 0;     // sender: it has the data; receiver: it begins to wait
    std::int64_t endedNs = 0;  // sender: the call returned; receiver: the data is there
};

// Records the collectives and messages of a rank, in traced steps only. All ranks trace the same steps.
class CollectiveTrace {
  public:
    CollectiveTrace(PhaseTrack& phases, std::size_t capacity) : m_phases(phases) {
        m_stamps.reserve(capacity);
        m_messages.reserve(capacity);
    }

    // Any thread; cheap.
    bool active() const { return m_active.load(std::memory_order_relaxed); }
    // Any thread; beyond the capacity they are dropped.
    void add(const CollectiveStamp& stamp);
    // Called by the training thread only.
    void add(const MessageStamp& stamp);

    // Of the training thread: where a call of its own waits.
    PhaseTrack& phases() { return m_phases; }

    // The training thread: from now on, with what came before forgotten; what came until now; and no longer.
    void start();
    std::vector<CollectiveStamp> soFar();
    const std::vector<MessageStamp>& messages() const { return m_messages; }  // for the training thread
    void stop();

  private:
    PhaseTrack& m_phases;
    std::atomic<bool> m_active{false};
    std::mutex m_mutex;
    std::vector<CollectiveStamp> m_stamps;
    std::vector<MessageStamp> m_messages;  // used by the training thread only
};

// Records one end of a message: from the construction of the scope to its end. trace may be null.
class MessageScope {
  public:
    MessageScope(CollectiveTrace* trace, const MessageStamp& stamp)
        : m_trace(trace != nullptr && trace->active() ? trace : nullptr), m_stamp(stamp) {
        if (m_trace != nullptr) m_stamp.atNs = monotonicNs();
    }
    ~MessageScope() {
        if (m_trace == nullptr) return;
        m_stamp.endedNs = monotonicNs();
        m_trace->add(m_stamp);
    }
    MessageScope(const MessageScope&) = delete;
    MessageScope& operator=(const MessageScope&) = delete;

  private:
    CollectiveTrace* m_trace;
    MessageStamp m_stamp;
};

// The calling thread waits for others in a collective of its own. Null: nobody is told.
class WaitScope {
  public:
    explicit WaitScope(CollectiveTrace* trace) {
        if (trace != nullptr) m_scope.emplace(trace->phases(), Phase::kWaiting);
    }

  private:
    std::optional<PhaseScope> m_scope;
};

}  // namespace ringside
