// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside {

// Activity of a rank. The time in a collective is divided into kWaiting, until the last rank has arrived, and kMoving,
// from then until the end.
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
    kIdle,  // no other phase: the trainer's own bookkeeping
};
inline constexpr int kPhaseCount = 12;

// Returns the name used in telemetry and in the window: "connect", "data", "copy", "forward", "backward", "waiting",
// "moving", ...
std::string_view phaseName(Phase phase);
// Returns the phase with this name. Also accepts names written by older versions.
std::optional<Phase> phaseNamed(std::string_view name);

// True for phases in which a rank without progress may be stuck. The other phases, for example kCheckpoint on a slow
// disk, have no known duration.
bool isWork(Phase phase);
// True for phases inside a collective, where other ranks may cause the delay.
inline bool isCommunication(Phase phase) {
    return phase == Phase::kWaiting || phase == Phase::kMoving;
}

// Start of a phase. Both times are in nanoseconds: atNs of CLOCK_MONOTONIC, cpuNs of the thread's CPU time.
struct PhaseStamp {
    Phase phase = Phase::kIdle;
    std::int32_t layer = -1;  // layer of the model; -1: not known
    std::int64_t atNs = 0;
    std::int64_t cpuNs = 0;
};

// Receiver of phase changes. onPhaseEnd() is called at the end of a phase, in the thread that is in that phase; the
// time spent in onPhaseEnd() counts as part of the phase.
class PhaseListener {
  public:
    virtual ~PhaseListener() = default;
    virtual void onPhaseEnd(Phase phase, Phase next) = 0;
};

// Current phase of one thread. Only that thread may call the functions that change it; now() may be called by any
// thread.
class PhaseTrack {
  public:
    Phase now() const { return m_now.load(std::memory_order_relaxed); }
    // Enters a phase, after calling the listeners. Returns the previous phase.
    Phase enter(Phase phase) {
        const Phase before = now();
        for (PhaseListener* const listener : m_listeners) listener->onPhaseEnd(before, phase);
        m_now.store(phase, std::memory_order_relaxed);
        if (m_stamps != nullptr) [[unlikely]]
            stamp(phase, -1);
        return before;
    }
    // Marks that the current phase works on this layer from now on; -1: no layer.
    void enterLayer(int layer) {
        if (m_stamps != nullptr && m_layersToo) [[unlikely]]
            stamp(now(), layer);
    }

    // Appends a stamp to `stamps` at each change of phase, up to its capacity, until called with null. layersToo: also
    // at each change of layer.
    void recordStamps(std::vector<PhaseStamp>* stamps, bool layersToo = false) {
        m_stamps = stamps;
        m_layersToo = layersToo;
    }
    // Adds a listener, which must outlive this object unless it is removed earlier. Listeners are called in the order
    // in which they were added.
    void addListener(PhaseListener& listener) { m_listeners.push_back(&listener); }
    // Removes a listener. Does nothing if it was not added.
    void removeListener(PhaseListener& listener) { std::erase(m_listeners, &listener); }

  private:
    void stamp(Phase phase, int layer);

    std::atomic<Phase> m_now{Phase::kConnect};
    std::vector<PhaseStamp>* m_stamps = nullptr;
    bool m_layersToo = false;
    std::vector<PhaseListener*> m_listeners;
};

// Returns the CPU time used by the calling thread, in nanoseconds.
std::int64_t threadCpuNs();

// Keeps the thread in a phase while the scope exists, then restores the previous phase. Scopes may be nested.
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
