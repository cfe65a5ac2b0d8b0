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

// Times of one collective on one rank, in nanoseconds of CLOCK_MONOTONIC.
struct CollectiveStamp {
    std::int64_t group = 0;   // number of the group of ranks, the same on each of its ranks; 0: all ranks
    std::int64_t number = 0;  // number of the collective in the group, from 1
    std::int64_t kind = 0;    // kind of the collective as a number: a CollectiveKind
    std::int64_t bytes = 0;
    std::int64_t readyNs = 0;    // time at which the collective was requested
    std::int64_t arrivedNs = 0;  // time at which this rank entered the collective
    std::int64_t lastNs = -1;    // time at which the last rank entered the collective; -1: not known
    std::int64_t endedNs = 0;    // time at which the result was available on this rank
    // Time at which this rank had made its data readable for the other ranks, and the time at which the last rank had
    // done so. Set only if ranks do this before they enter the collective; -1: done on entry.
    std::int64_t publishedNs = -1;
    std::int64_t lastPublishedNs = -1;
};

// Times of one end of a message between the stages of a pipeline, in nanoseconds of CLOCK_MONOTONIC.
struct MessageStamp {
    int peer = 0;             // rank at the other end, numbered in the run
    std::int64_t number = 0;  // number of the message: the same at both ends, different for each message between two
                              // ranks in a step
    std::int64_t bytes = 0;
    bool isSent = false;
    std::int64_t atNs = 0;     // sender: time at which the data is available; receiver: time at which it starts to wait
    std::int64_t endedNs = 0;  // sender: time at which the call returned; receiver: time at which the data has arrived
};

// Recorder of the collectives and messages of one rank, active in traced steps only. All ranks trace the same steps.
// Collectives may be added by any thread; startRecording(), stopRecording() and all access to messages belong to the
// training thread.
class CollectiveTrace {
  public:
    CollectiveTrace(PhaseTrack& phases, std::size_t capacity) : m_phases(phases) {
        m_stamps.reserve(capacity);
        m_messages.reserve(capacity);
    }

    // True while a step is traced. Callable from any thread; takes one relaxed atomic load.
    bool active() const { return m_active.load(std::memory_order_relaxed); }
    // Adds a collective. Callable from any thread. Ignored if no step is traced or the capacity is used up.
    void add(const CollectiveStamp& stamp);
    // Adds a message. Called by the training thread only. Ignored if the capacity is used up.
    void add(const MessageStamp& stamp);

    // Returns the phase track of the training thread. WaitScope uses it to mark the time in which the thread waits.
    PhaseTrack& phases() { return m_phases; }

    // Discards all records and starts to record. Called by the training thread only.
    void startRecording();
    // Returns the collectives recorded since startRecording().
    std::vector<CollectiveStamp> collectives();
    // Returns the messages recorded since startRecording(). Called by the training thread only.
    const std::vector<MessageStamp>& messages() const { return m_messages; }
    // Stops recording; the records remain available. Called by the training thread only.
    void stopRecording();

  private:
    PhaseTrack& m_phases;
    std::atomic<bool> m_active{false};
    std::mutex m_mutex;
    std::vector<CollectiveStamp> m_stamps;
    std::vector<MessageStamp> m_messages;  // used by the training thread only
};

// Records one end of a message, from the construction of the scope to its destruction. trace may be null.
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

// Marks the calling thread, which must be the training thread, as waiting for other ranks in a collective while the
// scope exists. Does nothing if trace is null.
class WaitScope {
  public:
    explicit WaitScope(CollectiveTrace* trace) {
        if (trace != nullptr) m_scope.emplace(trace->phases(), Phase::kWaiting);
    }

  private:
    std::optional<PhaseScope> m_scope;
};

}  // namespace ringside
