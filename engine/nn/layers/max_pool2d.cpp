// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/max_pool2d.h"

namespace ringside {

void MaxPool2d::prepare(const LayerMemory& memory, const Shape&, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    const Shape output{maxBatch, m_spec.height / m_spec.kernel, m_spec.width / m_spec.kernel, m_spec.channels};
    m_y = memory.allocate(output, DType::kFloat32);
    m_winners = memory.allocate(output, DType::kUInt8);
    m_gradX = memory.allocateScratch({maxBatch, m_spec.height, m_spec.width, m_spec.channels}, DType::kFloat32);
}

Tensor MaxPool2d::forward(const Tensor& x) {
    const Tensor y = m_y.head(x.rows());
    m_backend->maxPoolForward(x, y, m_winners.head(x.rows()), m_spec);
    return y;
}

Tensor MaxPool2d::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_backend->maxPoolBackward(gradY, m_winners.head(gradY.rows()), gradX, m_spec);
    return gradX;
}

}  // namespace ringside
