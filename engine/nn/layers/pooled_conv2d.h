// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/backend.h"
#include "nn/layers/conv2d.h"

namespace ringside {

// torch.nn.Conv2d, ReLU and MaxPool2d as one layer that processes a part of the batch at a time. The values between
// convolution and pooling (with a pooling kernel of 2, four times as many as the outputs) stay in the CPU's caches and
// are never stored for the whole batch.
class PooledConv2d final : public Conv2d {
  public:
    PooledConv2d(const ConvolutionSpec& convolution, const MaxPoolSpec& pool, const std::string& prefix)
        : Conv2d(convolution, prefix), m_pool(pool) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    // Consecutive images of a batch.
    struct Part {
        std::int64_t first, images;
        Tensor of(const Tensor& batch) const;
    };
    template <class Visit>
    void forEachPart(std::int64_t batch, const Visit& visit);
    Tensor convolutionGradient(const Part& part, const Tensor& gradY);  // returns the gradient with respect to the
                                                                        // convolution's output

    MaxPoolSpec m_pool;
    std::int64_t m_imagesAtOnce = 1;
    Tensor m_between;  // output of the convolution for a part, and in the backward pass its gradient
    Tensor m_winners;
    Tensor m_partWeight;  // gradient of the weight for one part of the batch
    Tensor m_partBias;
};

}  // namespace ringside
