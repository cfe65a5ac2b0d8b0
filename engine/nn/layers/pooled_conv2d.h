// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/backend.h"
#include "nn/layers/conv2d.h"

namespace ringside {

// Conv2d, then MaxPool2d with the ReLU before it, as one layer that works on a part of the batch at a time: what is
// between the two, which is four times what comes out, stays in a CPU's caches and is never in memory as a whole.
class PooledConv2d final : public Conv2d {
  public:
    PooledConv2d(const ConvolutionSpec& convolution, const MaxPoolSpec& pool, const std::string& prefix)
        : Conv2d(convolution, prefix), m_pool(pool) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;

  private:
    struct Part {
        std::int64_t first, images;
        Tensor of(const Tensor& batch) const;
    };
    template <class Visit>
    void forEachPart(std::int64_t batch, const Visit& visit);
    Tensor spread(const Part& part, const Tensor& gradY);  // the gradient by what the convolution gave

    MaxPoolSpec m_pool;
    std::int64_t m_imagesAtOnce = 1;
    Tensor m_between;  // of a part: what the convolution gives, and on the way back its gradient
    Tensor m_winners;
    Tensor m_partWeight;  // gradients of a part
    Tensor m_partBias;
};

}  // namespace ringside
