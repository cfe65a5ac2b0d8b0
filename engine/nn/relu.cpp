// SPDX-License-Identifier: Apache-2.0
#include "nn/relu.h"

#include "backend/backend.h"

namespace ringside {

Tensor ReLU::forward(const Tensor& x) {
    m_backend->reluForward(x, x);
    m_y = x;
    return x;
}

Tensor ReLU::backwardInput(const Tensor& gradY) {
    m_backend->reluBackward(m_y, gradY, gradY);
    return gradY;
}

}  // namespace ringside
