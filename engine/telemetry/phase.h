// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

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

// Which phase one thread is in. That thread writes, any may read.
class PhaseTrack {
  public:
    Phase now() const { return m_now.load(std::memory_order_relaxed); }
    // Returns the phase that is left.
    Phase enter(Phase phase) {
        const Phase before = now();
        m_now.store(phase, std::memory_order_relaxed);
        return before;
    }

  private:
    std::atomic<Phase> m_now{Phase::kConnect};
};

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
