// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/models/model.h"
#include "train/control/run_control.h"

namespace ringside {

// In slow motion and when the user advances phase by phase, reports each layer of the forward and backward passes and
// pauses the rank there. Forwards all calls to the next LayerWatch. Used for models that are not divided into pipeline
// stages; a pipeline reports the actions of its schedule instead.
class LayerProgress final : public LayerWatch {
  public:
    explicit LayerProgress(LayerWatch& next) : m_next(next) {}

    // Reports through `control` from now on. passes: number of forward passes in a step.
    void reportThrough(RunControl& control, std::int64_t passes) {
        m_control = &control;
        m_passes = static_cast<double>(passes);
    }

    void onPassBegin(const Model& model, Work work, std::int64_t samples) override;
    void layerBegins(std::size_t layer) override;
    void layerDone(const Model& model, std::size_t layer, Work work) override { m_next.layerDone(model, layer, work); }
    void onPassEnd() override { m_next.onPassEnd(); }

  private:
    LayerWatch& m_next;
    RunControl* m_control = nullptr;  // receives a report about each layer; null: layers are not reported
    double m_passes = 1;
    double m_share = 0;  // share of one layer in the duration of all passes of a step
    Phase m_phase = Phase::kForward;
};

}  // namespace ringside
