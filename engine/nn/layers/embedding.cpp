// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/embedding.h"

#include "backend/backend.h"

namespace ringside {

namespace {

// Draws the values as torch/nn/modules/sparse.py: init.normal_(weight).
void drawTable(const Parameter& weight, TorchGenerator& generator, Backend& backend) {
    std::vector<float> values(static_cast<std::size_t>(weight.shape.count()));
    generator.normal(values);
    backend.upload(values.data(), weight.value);
}

}  // namespace

Embedding::Embedding(std::int64_t words, std::int64_t width, const std::string& prefix)
    : m_weight{prefix + "weight", {words, width}, {}, {}} {}

void Embedding::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_y = memory.allocate({maxBatch * input[0], m_weight.shape[1]}, DType::kFloat32);
}

void Embedding::initialise(TorchGenerator& generator, Backend& backend) {
    drawTable(m_weight, generator, backend);
}

Tensor Embedding::forward(const Tensor& x) {
    m_x = x;
    const Tensor y = m_y.head(x.count());
    m_backend->embeddingForward(x, m_weight.value, y);
    return y;
}

void Embedding::backwardParameters(const Tensor& gradY) {
    m_backend->embeddingBackward(m_x, gradY, m_weight.gradient);
}

PositionEmbedding::PositionEmbedding(std::int64_t positions, std::int64_t width, const std::string& prefix)
    : m_weight{prefix + "weight", {positions, width}, {}, {}} {}

void PositionEmbedding::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_y = memory.allocate(batchShape(input, maxBatch), DType::kFloat32);
}

void PositionEmbedding::initialise(TorchGenerator& generator, Backend& backend) {
    drawTable(m_weight, generator, backend);
}

Tensor PositionEmbedding::forward(const Tensor& x) {
    const Tensor y = m_y.head(x.rows());
    m_backend->addPositions(x, m_weight.value, y);
    return y;
}

void PositionEmbedding::backwardParameters(const Tensor& gradY) {
    m_backend->positionGradient(gradY, m_weight.gradient);
}

}  // namespace ringside
