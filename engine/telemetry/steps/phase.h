// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside {

// Activity of a rank. While a rank is in a collective, it is in kWaiting until the last rank has entered the
// collective, and in kMoving from then until the collective ends.
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
    kIdle,  // all other time, in which the trainer does its own bookkeeping
};
inline constexpr int kPhaseCount = 12;

// Returns the name of the phase in telemetry and in the window: "connect", "data", "copy", "forward", "backward",
// "waiting", "moving", ...
std::string_view phaseName(Phase phase);
// Returns the phase with this name; empty if there is none. Also accepts the names that older versions wrote.
std::optional<Phase> phaseNamed(std::string_view name);

// True for phases in which a rank that makes no progress is probably stuck. The duration of other phases is
// unpredictable, for example that of kCheckpoint on a slow disk.
bool isWork(Phase phase);
// True for phases inside a collective, whose duration may be caused by other ranks.
inline bool isCommunication(Phase phase) {
    return phase == Phase::kWaiting || phase == Phase::kMoving;
}

// Start of a phase, in nanoseconds. atNs is the time on CLOCK_MONOTONIC; cpuNs is the CPU time that the thread has
// used.
struct PhaseStamp {
    Phase phase = Phase::kIdle;
    std::int32_t layer = -1;  // layer of the model; -1: not known
    std::int64_t atNs = 0;
    std::int64_t cpuNs = 0;
};

// Receiver of the ends of phases. onPhaseEnd() is called in the thread that is in the phase; its duration counts as
// part of the phase.
class PhaseListener {
  public:
    virtual ~PhaseListener() = default;
    virtual void onPhaseEnd(Phase phase, Phase next) = 0;
};

// Current phase of one thread. Only this thread may call the functions that change the phase. now() may be called by
// any thread.
class PhaseTrack {
  public:
    Phase now() const { return m_now.load(std::memory_order_relaxed); }
    // Calls the listeners for the end of the current phase, then enters `phase`. Returns the previous phase.
    Phase enter(Phase phase) {
        const Phase before = now();
        for (PhaseListener* const listener : m_listeners) listener->onPhaseEnd(before, phase);
        m_now.store(phase, std::memory_order_relaxed);
        if (m_stamps != nullptr) [[unlikely]]
            stamp(phase, -1);
        return before;
    }
    // Records that the thread works on this layer from now on; -1: on no layer.
    void enterLayer(int layer) {
        if (m_stamps != nullptr && m_layersToo) [[unlikely]]
            stamp(now(), layer);
    }

    // From now on, appends a stamp to `stamps` at each change of phase; if `layersToo` is true, also at each change of
    // layer. Ends when the vector's capacity is used up. Null stops recording.
    void recordStamps(std::vector<PhaseStamp>* stamps, bool layersToo = false) {
        m_stamps = stamps;
        m_layersToo = layersToo;
    }
    // Adds a listener. It must outlive this object or be removed earlier. Listeners are called in the order in which
    // they were added.
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

// Enters a phase on construction, and restores the thread's previous phase on destruction. Scopes may be nested.
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
