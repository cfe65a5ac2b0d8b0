// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/dropout.h"

#include "backend/backend.h"
#include "base/json/json.h"
#include "nn/layer/value_hash.h"

namespace ringside {

void Dropout::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    if (m_probability <= 0) return;
    // The key is not allocated in the memory that the layer shares with other layers, because the key is set before the
    // pass and other layers would overwrite it.
    m_key = memory.backend().allocate({1}, DType::kInt64);
    m_y = memory.allocate(batchShape(input, maxBatch), DType::kFloat32);
    m_gradX = memory.allocateScratch(batchShape(input, maxBatch), DType::kFloat32);
}

void Dropout::begin(const Pass& pass) {
    m_training = pass.training;
    if (!drops()) return;
    const std::uint64_t key = hashOf({pass.key, m_number});
    m_backend->upload(&key, m_key);
}

Tensor Dropout::forward(const Tensor& x) {
    if (!drops()) return x;
    const Tensor y = m_y.head(x.rows());
    m_backend->dropout(x, y, m_key, m_probability);
    return y;
}

Tensor Dropout::backwardInput(const Tensor& gradY) {
    if (!drops()) return gradY;
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_backend->dropout(gradY, gradX, m_key, m_probability);
    return gradX;
}

}  // namespace ringside
