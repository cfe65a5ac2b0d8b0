// SPDX-License-Identifier: Apache-2.0
#include "nn/blocks/recomputed.h"

#include "backend/backend.h"

namespace ringside {

void Recomputed::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_shared->reset();
    m_layers.prepare(LayerMemory(*m_backend, *m_shared), input, maxBatch);
    m_y = memory.allocate({maxBatch * m_layers.output().count()}, DType::kFloat32);
    m_gradX = memory.allocateScratch({maxBatch * input.count()}, DType::kFloat32);
}

void Recomputed::begin(const Pass& pass) {
    m_pass = pass;
    m_layers.begin(pass);
}

Tensor Recomputed::copied(const Tensor& from, const Tensor& to) const {
    Tensor copy = from;
    copy.data = to.data;
    m_backend->copy(from, copy);
    return copy;
}

Tensor Recomputed::forward(const Tensor& x) {
    m_x = x;
    return copied(m_layers.forward(x), m_y);
}

void Recomputed::backwardParameters(const Tensor& gradY) {
    Pass isRepeated = m_pass;
    isRepeated.isRepeated = true;
    m_layers.begin(isRepeated);
    m_layers.forward(m_x);
    m_layers.backwardParameters(gradY);
}

Tensor Recomputed::backwardInput(const Tensor& gradY) {
    return copied(m_layers.backwardInput(gradY), m_gradX);
}

}  // namespace ringside
