// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/image_order.h"

#include "backend/backend.h"

namespace ringside {

void ImageOrder::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    if (input.dimensions() == 2) m_positions = input[0];
    if (input.dimensions() != 3 || input[0] == 1 || input[1] * input[2] == 1) return;
    m_channels = m_layout == ImageLayout::kChannelBlocks ? kChannelBlock : input[0];
    m_pixels = input[1] * input[2];
    const Shape flat{maxBatch, input.count()};
    const Shape images = batchShape(input, maxBatch);
    m_y = memory.allocate(m_to == To::kFlat ? flat : images, DType::kFloat32);
    m_gradX = memory.allocateScratch(m_to == To::kFlat ? images : flat, DType::kFloat32);
}

Tensor ImageOrder::forward(const Tensor& x) {
    if (m_positions > 0)
        return {x.data, {x.rows() / m_positions, x.count() / x.rows() * m_positions}, x.type, x.device};
    if (!m_y) return x;
    const Tensor y = m_y.head(x.rows());
    if (m_to == To::kFlat)
        m_backend->transposeSamples(x, y, m_pixels, m_channels);
    else
        m_backend->transposeSamples(x, y, m_channels, m_pixels);
    return y;
}

Tensor ImageOrder::backwardInput(const Tensor& gradY) {
    if (m_positions > 0)
        return {gradY.data,
                {gradY.rows() * m_positions, gradY.count() / gradY.rows() / m_positions},
                gradY.type,
                gradY.device};
    if (!m_y) return gradY;
    const Tensor gradX = m_gradX.head(gradY.rows());
    if (m_to == To::kFlat)
        m_backend->transposeSamples(gradY, gradX, m_channels, m_pixels);
    else
        m_backend->transposeSamples(gradY, gradX, m_pixels, m_channels);
    return gradX;
}

}  // namespace ringside
