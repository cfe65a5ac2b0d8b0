// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nn/layer.h"

namespace ringside {

// Layers one after the other, as torch.nn.Sequential.
class Model {
  public:
    // Called as soon as a parameter's gradient is complete: strictly decreasing index, as DDP's hooks fire.
    using GradientReady = std::function<void(std::size_t parameter)>;

    Model(Backend& backend, std::vector<std::unique_ptr<Layer>> layers)
        : m_backend(backend), m_layers(std::move(layers)) {}

    // Checks that the layers fit on a sample of this shape and gives them memory; the problem names the layer and both
    // shapes. Called once, first.
    Result<Shape> prepare(const Shape& sample, std::int64_t maxBatch);
    void initialise(std::int64_t seed);  // as after torch.manual_seed(seed), layer by layer

    const std::vector<Parameter*>& parameters() const { return m_parameters; }
    // What a state_dict holds: parameters and buffers.
    const std::vector<Parameter*>& state() const { return m_state; }
    std::int64_t parameterCount() const;  // values in all
    std::string describe() const;         // "Linear(64, 128), ReLU(), Linear(128, 10)"

    void begin(const Pass& pass);  // what the next forward passes are for
    Tensor forward(const Tensor& x);
    // From the gradient of the loss by the last forward pass' output; fills every parameter's gradient.
    void backward(const Tensor& gradOutput, const GradientReady& ready);

  private:
    Backend& m_backend;
    std::vector<std::unique_ptr<Layer>> m_layers;
    std::vector<Parameter*> m_parameters;
    std::vector<Parameter*> m_state;
    std::vector<std::size_t> m_firstParameter;  // of each layer
    std::size_t m_firstTrainedLayer = 0;        // the first with parameters: nothing below it needs a gradient
};

}  // namespace ringside
