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
    // number of the group of ranks that takes part, the same on each of these ranks; 0: all ranks
    std::int64_t group = 0;
    std::int64_t number = 0;  // number of the collective in its group, counted from 1
    std::int64_t kind = 0;    // kind of the collective as a number: a CollectiveKind
    std::int64_t bytes = 0;
    std::int64_t readyNs = 0;    // time at which the collective was requested
    std::int64_t arrivedNs = 0;  // time at which this rank began to take part
    std::int64_t lastNs = -1;    // time at which the last rank of the group began to take part; -1: not known
    std::int64_t endedNs = 0;    // time at which the result was available on this rank
    // For collectives in which each rank makes its data readable for the other ranks before it begins to take part:
    // publishedNs is the time at which the data of this rank was readable, lastPublishedNs the time at which the data
    // of all ranks was readable. -1: the collective is of another kind.
    std::int64_t publishedNs = -1;
    std::int64_t lastPublishedNs = -1;
};

// Times of the sending or of the receiving side of a message between two stages of a pipeline, in nanoseconds of
// CLOCK_MONOTONIC.
struct MessageStamp {
    int peer = 0;  // rank of the run on the other side of the message
    // number of the message, the same on both sides; unique among the messages from one rank to another rank in a step
    std::int64_t number = 0;
    std::int64_t bytes = 0;
    bool isSent = false;
    // sending side: time at which the data is available; receiving side: time at which the rank starts to wait for the
    // data
    std::int64_t atNs = 0;
    // sending side: time at which the send call returned; receiving side: time at which the data has arrived
    std::int64_t endedNs = 0;
};

// Recorder of the collectives and messages of one rank. Records only in traced steps; all ranks trace the same steps.
// Thread safety: active() and adding a collective from any thread, all other functions only from the training thread.
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

    // Returns the record of the training thread's phases, in which WaitScope marks the time that the thread waits.
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

// Records the sending or receiving side of a message, which lasts from the construction to the destruction of this
// object. Records nothing if `trace` is null.
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

// Marks the training thread as waiting for other ranks in a collective while this object exists. May be used by the
// training thread only. Does nothing if `trace` is null.
class WaitScope {
  public:
    explicit WaitScope(CollectiveTrace* trace) {
        if (trace != nullptr) m_scope.emplace(trace->phases(), Phase::kWaiting);
    }

  private:
    std::optional<PhaseScope> m_scope;
};

}  // namespace ringside
