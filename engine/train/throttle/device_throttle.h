// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/run_config.h"
#include "model/model_description.h"
#include "nn/models/model.h"

namespace ringside {

// Computes how long the parts of a step take on the device that parallel.pace describes.
//
// The durations follow from the number of floating-point operations in the model's description. A backward pass costs
// as much as two forward passes, one of them for the gradients of the parameters; training.recompute adds another
// forward pass. The operations are distributed over the layers in proportion to Model::costOf().
class DeviceThrottle {
  public:
    DeviceThrottle() = default;  // creates a throttle for which isActive() returns false
    DeviceThrottle(const RunConfig& config, const ModelInterface& interface);

    bool isActive() const { return m_nsPerFlop > 0; }
    // Returns the duration of a forward or backward pass of `samples` samples through the layers from `first` to `last`
    // - 1, in nanoseconds.
    std::int64_t passNs(const Model& model, LayerWatch::Work work, std::int64_t samples, std::size_t first,
                        std::size_t last) const;
    // Returns the duration of an optimizer update of this number of parameters, in nanoseconds.
    std::int64_t updateNs(std::int64_t parameters) const;

  private:
    double m_nsPerFlop = 0;
    double m_forwardFlops = 0;  // number of floating-point operations of a forward pass of the whole model, per sample
    double m_backwardTimes = 2;
    double m_updateFlops = 4;
};

}  // namespace ringside
