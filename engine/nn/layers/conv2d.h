// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/convolution.h"
#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.Conv2d: weight (out, in, kernel, kernel), then bias (out) if there is one.
class Conv2d : public Layer {
  public:
    // prefix: with "conv1." the parameters are called "conv1.weight" and "conv1.bias".
    Conv2d(const ConvolutionSpec& spec, const std::string& prefix);

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override;
    void initialise(TorchGenerator& generator, Backend& backend) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;

  protected:
    void prepareConvolution(const LayerMemory& memory);

    ConvolutionSpec m_spec;
    Parameter m_weight;
    Parameter m_bias;
    Backend* m_backend = nullptr;
    std::unique_ptr<Convolution> m_convolution;
    Tensor m_x;  // input of the last forward pass, in the previous layer's memory
    Tensor m_y;
    Tensor m_gradX;
};

}  // namespace ringside
