// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/linear.h"

#include "backend/backend.h"
#include "nn/layer/uniform_initialisation.h"

namespace ringside {

Linear::Linear(std::int64_t inFeatures, std::int64_t outFeatures, const std::string& prefix)
    : m_in(inFeatures),
      m_out(outFeatures),
      m_weight{prefix + "weight", {outFeatures, inFeatures}, {}, {}},
      m_bias{prefix + "bias", {outFeatures}, {}, {}} {}

void Linear::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    const std::int64_t rows = input.dimensions() == 2 ? maxBatch * input[0] : maxBatch;
    m_y = memory.allocate({rows, m_out}, DType::kFloat32);
    m_gradX = memory.allocateScratch({rows, m_in}, DType::kFloat32);
}

void Linear::initialise(TorchGenerator& generator, Backend& backend) {
    initialiseUniformly(parameters(), m_in, generator, backend);
}

Tensor Linear::forward(const Tensor& x) {
    m_x = x;
    const Tensor y = m_y.head(x.rows());
    m_backend->linearForward(x, m_weight.value, m_bias.value, y);
    return y;
}

void Linear::backwardParameters(const Tensor& gradY) {
    m_backend->linearBackwardParameters(m_x, gradY, m_weight.gradient, m_bias.gradient);
}

Tensor Linear::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_backend->linearBackwardInput(gradY, m_weight.value, gradX);
    return gradX;
}

}  // namespace ringside
