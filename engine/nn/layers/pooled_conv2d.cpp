// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/pooled_conv2d.h"

#include <algorithm>

#include "plan/built_layers.h"

namespace ringside {

Tensor PooledConv2d::Part::of(const Tensor& batch) const {
    const std::size_t bytesPerImage = batch.bytes() / static_cast<std::size_t>(batch.rows());
    char* begin = static_cast<char*>(batch.data) + static_cast<std::size_t>(first) * bytesPerImage;
    return {begin, batch.shape.withRows(images), batch.type, batch.device};
}

// Divides the batch into parts of equal size, of which only the last may be smaller: oneDNN prepares its primitives for
// each size once, and a small number of sizes saves time and memory.
template <class Visit>
void PooledConv2d::forEachPart(std::int64_t batch, const Visit& visit) {
    const std::int64_t parts = (batch + m_imagesAtOnce - 1) / m_imagesAtOnce;
    const std::int64_t images = (batch + parts - 1) / std::max<std::int64_t>(1, parts);
    for (std::int64_t first = 0; first < batch; first += images) visit(Part{first, std::min(images, batch - first)});
}

void PooledConv2d::prepare(const LayerMemory& memory, const Shape&, std::int64_t maxBatch) {
    prepareConvolution(memory);
    const Shape image{m_pool.height, m_pool.width, m_pool.channels};
    const std::int64_t bytes = image.count() * static_cast<std::int64_t>(sizeof(float));
    m_imagesAtOnce = std::clamp<std::int64_t>(kPooledPartBytes / bytes, 1, maxBatch);
    m_between = memory.allocateScratch({m_imagesAtOnce, image[0], image[1], image[2]}, DType::kFloat32);
    const Shape pooled{maxBatch, m_pool.height / m_pool.kernel, m_pool.width / m_pool.kernel, m_pool.channels};
    m_y = memory.allocate(pooled, DType::kFloat32);
    m_winners = memory.allocate(pooled, DType::kUInt8);
    m_gradX = memory.allocateScratch({maxBatch, m_spec.height, m_spec.width, m_spec.inChannels}, DType::kFloat32);
    m_partWeight = memory.allocateScratch(m_weight.shape, DType::kFloat32);
    if (m_spec.bias) m_partBias = memory.allocateScratch(m_bias.shape, DType::kFloat32);
}

Tensor PooledConv2d::forward(const Tensor& x) {
    m_x = x;
    const Tensor y = m_y.head(x.rows());
    forEachPart(x.rows(), [&](const Part& part) {
        const Tensor between = m_between.head(part.images);
        m_convolution->forward(part.of(x), m_weight.value, m_bias.value, between);
        m_backend->maxPoolForward(between, part.of(y), part.of(m_winners), m_pool);
    });
    return y;
}

Tensor PooledConv2d::convolutionGradient(const Part& part, const Tensor& gradY) {
    const Tensor between = m_between.head(part.images);
    m_backend->maxPoolBackward(part.of(gradY), part.of(m_winners), between, m_pool);
    return between;
}

void PooledConv2d::backwardParameters(const Tensor& gradY) {
    forEachPart(gradY.rows(), [&](const Part& part) {
        const bool isFirst = part.first == 0;
        m_convolution->backwardParameters(part.of(m_x), convolutionGradient(part, gradY),
                                          isFirst ? m_weight.gradient : m_partWeight,
                                          isFirst ? m_bias.gradient : m_partBias);
        if (isFirst) return;
        m_backend->add(m_partWeight, m_weight.gradient);
        if (m_spec.bias) m_backend->add(m_partBias, m_bias.gradient);
    });
}

// Computes the gradient with respect to the convolution's output again, as backwardParameters() did, which is
// cheap inside the caches and needs no memory for the gradient of the whole batch.
Tensor PooledConv2d::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_gradX.head(gradY.rows());
    forEachPart(gradY.rows(), [&](const Part& part) {
        m_convolution->backwardInput(convolutionGradient(part, gradY), m_weight.value, part.of(gradX));
    });
    return gradX;
}

}  // namespace ringside
