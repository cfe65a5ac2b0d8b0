// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

    // parameters: that this rank updates.
    void beginStep(std::int64_t parameters);
    // After a step: what there is to tell, when this CPU turns out to be too slow or fast enough.
    std::optional<PaceKept> endStep(std::int64_t step);

    void passBegins(const Model& model, Work work, std::int64_t samples) override;
    void layerBegins(std::size_t layer) override { m_track.enterLayer(static_cast<int>(layer)); }
    void layerDone(const Model& model, std::size_t layer, Work work) override;
    void passEnds() override;
    void leaving(Phase phase, Phase next) override;

  private:
    void sleepFor(std::int64_t wantedNs);  // since the pass began

    const DevicePace m_pace;
    const int m_rank;
    PhaseTrack& m_track;
    Work m_work = Work::kForward;
    std::int64_t m_samples = 0;
    std::int64_t m_passBeganNs = 0;  // later by what it waited for others
    std::int64_t m_passLastsNs = 0;
    std::int64_t m_doneNs = 0;  // of the pass, by the layers that are done
    std::int64_t m_phaseSinceNs = 0;
    std::int64_t m_updateNs = 0;  // still to come in this step
    std::int64_t m_passes = -4;   // in the window; the first ones, in which libraries make ready, count for nothing
    std::int64_t m_late = 0;      // of them took too long
    double m_worst = 1;           // how many times as long as it should
    bool m_kept = true;
};

}  // namespace ringside
