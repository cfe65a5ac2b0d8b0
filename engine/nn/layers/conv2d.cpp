// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/conv2d.h"

#include "backend/backend.h"
#include "nn/layer/uniform_initialisation.h"

namespace ringside {

Conv2d::Conv2d(const ConvolutionSpec& spec, const std::string& prefix)
    : m_spec(spec),
      m_weight{prefix + "weight", {spec.outChannels, spec.inChannels, spec.kernel, spec.kernel}, {}, {}},
      m_bias{prefix + "bias", {spec.outChannels}, {}, {}} {}

std::vector<Parameter*> Conv2d::parameters() {
    if (m_spec.bias) return {&m_weight, &m_bias};
    return {&m_weight};
}

void Conv2d::prepareConvolution(const LayerMemory& memory) {
    m_backend = &memory.backend();
    m_convolution = memory.backend().makeConvolution(m_spec);
}

void Conv2d::prepare(const LayerMemory& memory, const Shape&, std::int64_t maxBatch) {
    prepareConvolution(memory);
    m_y = memory.allocate({maxBatch, m_spec.outHeight(), m_spec.outWidth(), m_spec.outChannels}, DType::kFloat32);
    m_gradX = memory.allocateScratch({maxBatch, m_spec.height, m_spec.width, m_spec.inChannels}, DType::kFloat32);
}

void Conv2d::initialise(TorchGenerator& generator, Backend& backend) {
    initialiseUniformly(parameters(), m_weight.shape.countPerRow(), generator, backend);
}

Tensor Conv2d::forward(const Tensor& x) {
    m_x = x;
    const Tensor y = m_y.head(x.rows());
    m_convolution->forward(x, m_weight.value, m_bias.value, y);
    return y;
}

void Conv2d::backwardParameters(const Tensor& gradY) {
    m_convolution->backwardParameters(m_x, gradY, m_weight.gradient, m_bias.gradient);
}

Tensor Conv2d::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    m_convolution->backwardInput(gradY, m_weight.value, gradX);
    return gradX;
}

}  // namespace ringside
