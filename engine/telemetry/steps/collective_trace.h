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

// What the communicators of a rank tell about their collectives, in traced steps only: all ranks trace the same ones.
class CollectiveTrace {
  public:
    CollectiveTrace(PhaseTrack& phases, std::size_t capacity) : m_phases(phases) { m_stamps.reserve(capacity); }

    // Any thread; cheap.
    bool active() const { return m_active.load(std::memory_order_relaxed); }
    // Any thread; beyond the capacity they are dropped.
    void add(const CollectiveStamp& stamp);

    // Of the training thread: where a call of its own waits.
    PhaseTrack& phases() { return m_phases; }

    // The training thread: from now on, with what came before forgotten; what came until now; and no longer.
    void start();
    std::vector<CollectiveStamp> soFar();
    void stop();

  private:
    PhaseTrack& m_phases;
    std::atomic<bool> m_active{false};
    std::mutex m_mutex;
    std::vector<CollectiveStamp> m_stamps;
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
