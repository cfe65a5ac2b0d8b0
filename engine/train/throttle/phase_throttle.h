// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time/sleep_until.h"
#include "telemetry/events/events.h"
#include "telemetry/steps/phase.h"
#include "train/throttle/device_throttle.h"

namespace ringside {

// Delays a rank so that it is as slow as the device that parallel.pace describes, and records which layer a phase works
// on.
//
// After each layer, sleeps until the described device would have finished the layer. Gradients therefore become ready
// at the same times as on that device. Time that a pass spends in communication or in a pause does not count. All calls
// come from the training thread.
class PhaseThrottle final : public LayerWatch, public PhaseListener {
  public:
    PhaseThrottle(const DeviceThrottle& throttle, int rank, PhaseTrack& track);
    ~PhaseThrottle() override;
    PhaseThrottle(const PhaseThrottle&) = delete;
    PhaseThrottle& operator=(const PhaseThrottle&) = delete;

    // Starts to observe the phases of the calling thread. Call after all listeners that delay phases (SlowPhase) are
    // registered, because listeners are called in the order of registration.
    void startObserving();
    // Starts a step. parameters: number of parameters that this rank updates. delayNs: delay that pitfalls.slow_rank
    // adds to the update, in nanoseconds.
    void beginStep(std::int64_t parameters, std::int64_t delayNs = 0);
    // Sleeps until the described device would have finished the update. Call when all work of the optimizer phase is
    // done.
    void sleepUntilUpdateEnds();
    // Returns a report if the CPU has become too slow for parallel.pace, or fast enough again. Call after each step.
    std::optional<ThrottleKept> endStep(std::int64_t step);

    void onPassBegin(const Model& model, Work work, std::int64_t samples) override;
    void layerBegins(std::size_t layer) override { m_track.enterLayer(static_cast<int>(layer)); }
    void layerDone(const Model& model, std::size_t layer, Work work) override;
    void onPassEnd() override;
    void onPhaseEnd(Phase phase, Phase next) override;

  private:
    void sleepUntilElapsed(std::int64_t wantedNs);  // sleeps until wantedNs nanoseconds after the start of the pass
    void evaluatePass(std::int64_t tookNs, std::int64_t requestedNs);

    const DeviceThrottle m_throttle;
    const int m_rank;
    PhaseTrack& m_track;
    PreciseSleep m_sleep;
    Work m_work = Work::kForward;
    std::int64_t m_samples = 0;
    // start of the pass, moved later by the time that the pass spent in communication or in a pause
    std::int64_t m_passBeganNs = 0;
    std::int64_t m_passLastsNs = 0;
    // time that the described device would have needed for the finished layers of the pass, in nanoseconds
    std::int64_t m_doneNs = 0;
    std::int64_t m_phaseSinceNs = 0;
    std::int64_t m_updateNs = 0;   // duration of this step's update on the described device, in nanoseconds
    std::int64_t m_updatedNs = 0;  // time already spent in the optimizer phase of this step, in nanoseconds
    // Number of passes and updates in the current window; starts at -4, because the first four include the start-up
    // time of libraries and are ignored.
    std::int64_t m_passes = -4;
    // number of passes and updates in the window that took longer than on the described device
    std::int64_t m_late = 0;
    double m_worst = 1;  // largest actual duration in the window, divided by the duration on the described device
    bool m_kept = true;
};

}  // namespace ringside
