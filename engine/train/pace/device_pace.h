// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/run_config.h"
#include "model/model_description.h"
#include "nn/models/model.h"

namespace ringside {

// How long the parts of a step last on the device of parallel.pace, from the model's description. Backward counts twice
// as much as forward, half of it for the parameters; with training.recompute forward once more. A layer of the built
// model has its share of the description's FLOPs by its weights and the places where they are used.
class DevicePace {
  public:
    DevicePace() = default;  // nothing is paced
    DevicePace(const RunConfig& config, const ModelTask& task);

    bool any() const { return m_nsPerFlop > 0; }
    // Of one sample through these layers.
    std::int64_t passNs(const Model& model, LayerWatch::Work work, std::int64_t samples, std::size_t first,
                        std::size_t last) const;
    // An update of so many parameters: what the optimizer does to each.
    std::int64_t updateNs(std::int64_t parameters) const;

  private:
    double m_nsPerFlop = 0;
    double m_forwardFlops = 0;  // of the whole model, per sample
    double m_backwardTimes = 2;
    double m_updateFlops = 4;
};

}  // namespace ringside
