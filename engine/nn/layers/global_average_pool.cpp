// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/global_average_pool.h"

#include "backend/backend.h"

namespace ringside {

void GlobalAveragePool::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_y = memory.allocate({maxBatch, input[0]}, DType::kFloat32);
    m_gradX = memory.allocateScratch(batchShape(input, maxBatch, m_layout), DType::kFloat32);
}

Tensor GlobalAveragePool::forward(const Tensor& x) {
    const Tensor y = m_y.head(x.rows());
    // The gradient has this layer's image layout, regardless of the layout in which the previous layer made x.
    Tensor images = m_gradX.head(x.rows());
    images.data = x.data;
    m_backend->averagePoolForward(images, y);
    return y;
}

Tensor GlobalAveragePool::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_backend->averagePoolBackward(gradY, gradX);
    return gradX;
}

}  // namespace ringside
