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

// Makes a rank as slow as the device described by parallel.pace, and records which layer a phase works on.
//
// After each layer the throttle sleeps until the described device would have finished it, so that gradients become
// ready at the same times as on that device. Time spent in communication or paused within a pass does not count. All
// calls come from the training thread.
class PhaseThrottle final : public LayerWatch, public PhaseListener {
  public:
    PhaseThrottle(const DeviceThrottle& throttle, int rank, PhaseTrack& track);
    ~PhaseThrottle() override;
    PhaseThrottle(const PhaseThrottle&) = delete;
    PhaseThrottle& operator=(const PhaseThrottle&) = delete;

    // Starts to observe the phases of this thread. Call after all listeners that delay phases (SlowPhase) are
    // registered, because listeners are called in order of registration.
    void startObserving();
    // `parameters` is the number of parameters that this rank updates; `delayNs` is the delay in nanoseconds that the
    // pitfall pitfalls.slow_rank adds to the update.
    void beginStep(std::int64_t parameters, std::int64_t delayNs = 0);
    // Sleeps until the described device would have finished the update. Call after all work of the optimizer phase.
    void sleepUntilUpdateEnds();
    // Returns a report if the CPU has become too slow for the pace or fast enough again. Call after each step.
    std::optional<ThrottleKept> endStep(std::int64_t step);

    void onPassBegin(const Model& model, Work work, std::int64_t samples) override;
    void layerBegins(std::size_t layer) override { m_track.enterLayer(static_cast<int>(layer)); }
    void layerDone(const Model& model, std::size_t layer, Work work) override;
    void onPassEnd() override;
    void onPhaseEnd(Phase phase, Phase next) override;

  private:
    void sleepUntilElapsed(std::int64_t wantedNs);  // sleeps until wantedNs after the start of the pass
    void evaluatePass(std::int64_t tookNs, std::int64_t requestedNs);

    const DeviceThrottle m_throttle;
    const int m_rank;
    PhaseTrack& m_track;
    PreciseSleep m_sleep;
    Work m_work = Work::kForward;
    std::int64_t m_samples = 0;
    std::int64_t m_passBeganNs = 0;  // start of the pass, shifted by the time spent in communication or paused
    std::int64_t m_passLastsNs = 0;
    std::int64_t m_doneNs = 0;  // time in nanoseconds that the described device would need for the finished layers of
                                // the pass
    std::int64_t m_phaseSinceNs = 0;
    std::int64_t m_updateNs = 0;   // planned duration of this step's update
    std::int64_t m_updatedNs = 0;  // time spent in the optimizer phase of this step, in one or more parts
    // Number of passes and updates in the window; starts at -4, because the first four warm up libraries and do not
    // count.
    std::int64_t m_passes = -4;
    std::int64_t m_late = 0;  // number of passes and updates in the window that took longer than planned
    double m_worst = 1;       // largest ratio of actual to planned duration in the window
    bool m_kept = true;
};

}  // namespace ringside
