// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside {

// What a rank is doing. Time in a collective is waiting until the last rank has arrived, and moving from then on.
enum class Phase : std::uint8_t {
    kConnect,
    kDataWait,
    kCopy,
    kForward,
    kBackward,
    kWaiting,
    kMoving,
    kOptimizer,
    kValidation,
    kCheckpoint,
    kPaused,
    kIdle,  // none of these: the trainer's own bookkeeping
};
inline constexpr int kPhaseCount = 12;

// "connect", "data", "copy", "forward", "backward", "waiting", "moving", ...: as in telemetry and on the cards.
std::string_view phaseName(Phase phase);
// Also by the names that older versions wrote.
std::optional<Phase> phaseNamed(std::string_view name);

// Progress of one of these says that the rank gets on; the others may last: nobody knows how long a disk takes.
bool isWork(Phase phase);
// In a collective: it may be others who are late.
inline bool isCommunication(Phase phase) {
    return phase == Phase::kWaiting || phase == Phase::kMoving;
}

// A phase begins. Both clocks in nanoseconds: CLOCK_MONOTONIC and the thread's own CPU time.
struct PhaseStamp {
    Phase phase = Phase::kIdle;
    std::int32_t layer = -1;  // of the model; -1: not told
    std::int64_t atNs = 0;
    std::int64_t cpuNs = 0;
};

// Told before a phase is left, in the thread that is in it: what it does counts as part of the phase.
class PhaseListener {
  public:
    virtual ~PhaseListener() = default;
    virtual void leaving(Phase phase, Phase next) = 0;
};

// Which phase one thread is in. That thread writes, any may read.
class PhaseTrack {
  public:
    Phase now() const { return m_now.load(std::memory_order_relaxed); }
    // Returns the phase that is left.
    Phase enter(Phase phase) {
        const Phase before = now();
        for (PhaseListener* const listener : m_listeners) listener->leaving(before, phase);
        m_now.store(phase, std::memory_order_relaxed);
        if (m_stamps != nullptr) [[unlikely]]
            stamp(phase, -1);
        return before;
    }
    // From here on the phase works on this layer; -1: on none.
    void enterLayer(int layer) {
        if (m_stamps != nullptr && m_layersToo) [[unlikely]]
            stamp(now(), layer);
    }

    // Every change is noted there, as far as its capacity goes, until told otherwise (null). For that thread alone.
    void stampInto(std::vector<PhaseStamp>* stamps, bool layersToo = false) {
        m_stamps = stamps;
        m_layersToo = layersToo;
    }
    // Told in the order in which they came.
    void listen(PhaseListener& listener) { m_listeners.push_back(&listener); }
    void forget(PhaseListener& listener) { std::erase(m_listeners, &listener); }

  private:
    void stamp(Phase phase, int layer);

    std::atomic<Phase> m_now{Phase::kConnect};
    std::vector<PhaseStamp>* m_stamps = nullptr;
    bool m_layersToo = false;
    std::vector<PhaseListener*> m_listeners;
};

// Of the calling thread.
std::int64_t threadCpuNs();

// The thread is in this phase while the scope lives, and then in the one before again. Scopes may nest.
class PhaseScope {
  public:
    PhaseScope(PhaseTrack& track, Phase phase) : m_track(track), m_before(track.enter(phase)) {}
    ~PhaseScope() { m_track.enter(m_before); }
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;

  private:
    PhaseTrack& m_track;
    Phase m_before;
};

}  // namespace ringside
