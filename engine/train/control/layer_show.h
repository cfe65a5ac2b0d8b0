// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/models/model.h"
#include "train/control/run_control.h"

namespace ringside {

// In slow motion and single phases a rank rests at each layer of its passes, forwards and backwards, and says so. What
// it hears of them it passes on. Of a model that is whole or sharded; a pipeline shows its schedule's actions instead.
class LayerShow final : public LayerWatch {
  public:
    explicit LayerShow(LayerWatch& next) : m_next(next) {}

    // passes: of each kind in a step.
    void follow(RunControl& control, std::int64_t passes) {
        m_control = &control;
        m_passes = static_cast<double>(passes);
    }

    void passBegins(const Model& model, Work work, std::int64_t samples) override;
    void layerBegins(std::size_t layer) override;
    void layerDone(const Model& model, std::size_t layer, Work work) override { m_next.layerDone(model, layer, work); }
    void passEnds() override { m_next.passEnds(); }

  private:
    LayerWatch& m_next;
    RunControl* m_control = nullptr;  // null: nobody is shown anything
    double m_passes = 1;
    double m_share = 0;  // of a layer
    Phase m_phase = Phase::kForward;
};

}  // namespace ringside
