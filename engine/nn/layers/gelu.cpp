// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/gelu.h"

#include "backend/backend.h"

namespace ringside {

void Gelu::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_y = memory.allocate(batchShape(input, maxBatch), DType::kFloat32);
    m_gradX = memory.allocateScratch(batchShape(input, maxBatch), DType::kFloat32);
}

Tensor Gelu::forward(const Tensor& x) {
    m_x = x;
    const Tensor y = m_y.head(x.rows());
    m_backend->geluForward(x, y);
    return y;
}

Tensor Gelu::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_backend->geluBackward(m_x, gradY, gradX);
    return gradX;
}

}  // namespace ringside
