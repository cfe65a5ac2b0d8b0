// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/layer_norm.h"

#include "backend/backend.h"

namespace ringside {

LayerNorm::LayerNorm(std::int64_t features, const std::string& prefix)
    : m_features(features),
      m_weight{prefix + "weight", {features}, {}, {}},
      m_bias{prefix + "bias", {features}, {}, {}} {}

void LayerNorm::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    const Shape shape = batchShape(input, maxBatch);
    m_y = memory.allocate(shape, DType::kFloat32);
    m_moments = memory.allocate({shape[0], 2}, DType::kFloat32);
    m_gradX = memory.allocateScratch(shape, DType::kFloat32);
}

void LayerNorm::initialise(TorchGenerator&, Backend& backend) {
    backend.fill(m_weight.value, 1);
    backend.fill(m_bias.value, 0);
}

Tensor LayerNorm::forward(const Tensor& x) {
    m_x = x;
    const Tensor y = m_y.head(x.rows());
    m_backend->layerNormForward(x, m_weight.value, m_bias.value, y, m_moments.head(x.rows()));
    return y;
}

void LayerNorm::backwardParameters(const Tensor& gradY) {
    m_backend->layerNormBackwardParameters(m_x, m_moments, gradY, m_weight.gradient, m_bias.gradient);
}

Tensor LayerNorm::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_backend->layerNormBackwardInput(m_x, m_moments, m_weight.value, gradY, gradX);
    return gradX;
}

}  // namespace ringside
