// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/relu.h"

#include "backend/backend.h"

namespace ringside {

void ReLU::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    if (!m_inPlace) m_own = memory.allocate(batchShape(input, maxBatch), DType::kFloat32);
}

Tensor ReLU::forward(const Tensor& x) {
    m_y = m_inPlace ? x : m_own.head(x.rows());
    m_backend->reluForward(x, m_y);
    return m_y;
}

Tensor ReLU::backwardInput(const Tensor& gradY) {
    m_backend->reluBackward(m_y, gradY, gradY);
    return gradY;
}

}  // namespace ringside
