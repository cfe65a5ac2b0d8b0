// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time/sleep_until.h"
#include "telemetry/events/events.h"
#include "telemetry/steps/phase.h"
#include "train/pace/device_pace.h"

namespace ringside {

// Follows the passes of a rank's models: says which layer a phase works on, and where ranks are paced sleeps behind
// each layer until the device that is asked for would be done with it, so that gradients become ready when they would
// there. What the rank waits for others within a pass does not count. The training thread's.
class Pacer final : public LayerWatch, public PhaseListener {
  public:
    Pacer(const DevicePace& pace, int rank, PhaseTrack& track);
    ~Pacer() override;
    Pacer(const Pacer&) = delete;
    Pacer& operator=(const Pacer&) = delete;

    // From now on; told of phases behind whoever delays the rank in them.
    void follow();
    // parameters: that this rank updates; delayNs: that a pitfall makes the update longer.
    void beginStep(std::int64_t parameters, std::int64_t delayNs = 0);
    // Behind the update and whatever belongs to its phase: rests until the device that is asked for would be done.
    void endUpdate();
    // After a step: what there is to tell, when this CPU turns out to be too slow or fast enough.
    std::optional<PaceKept> endStep(std::int64_t step);

    void passBegins(const Model& model, Work work, std::int64_t samples) override;
    void layerBegins(std::size_t layer) override { m_track.enterLayer(static_cast<int>(layer)); }
    void layerDone(const Model& model, std::size_t layer, Work work) override;
    void passEnds() override;
    void leaving(Phase phase, Phase next) override;

  private:
    void sleepFor(std::int64_t wantedNs);  // since the pass began
    void judge(std::int64_t tookNs, std::int64_t askedNs);

    const DevicePace m_pace;
    const int m_rank;
    PhaseTrack& m_track;
    PunctualSleep m_sleep;
    Work m_work = Work::kForward;
    std::int64_t m_samples = 0;
    std::int64_t m_passBeganNs = 0;  // later by what it waited for others
    std::int64_t m_passLastsNs = 0;
    std::int64_t m_doneNs = 0;  // of the pass, by the layers that are done
    std::int64_t m_phaseSinceNs = 0;
    std::int64_t m_updateNs = 0;   // that the update of this step is to last
    std::int64_t m_updatedNs = 0;  // that it has lasted so far, in one or more pieces
    std::int64_t m_passes = -4;    // in the window, updates too; the first, in which libraries make ready, do not count
    std::int64_t m_late = 0;       // of them took too long
    double m_worst = 1;            // how many times as long as it should
    bool m_kept = true;
};

}  // namespace ringside
