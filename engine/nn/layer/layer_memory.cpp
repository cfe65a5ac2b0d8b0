// SPDX-License-Identifier: Apache-2.0
#include "nn/layer/layer_memory.h"

#include "backend/backend.h"

namespace ringside {

// Returns the next piece of memory that is large enough and has not been returned since reset(). Skipped smaller
// pieces are not used until the next reset().
Tensor ReusedMemory::allocate(const Shape& shape, DType type) {
    Tensor taken{nullptr, shape, type, m_backend.device()};
    while (m_next < m_blocks.size() && m_blocks[m_next].bytes() < taken.bytes()) ++m_next;
    if (m_next == m_blocks.size()) m_blocks.push_back(m_backend.allocate(shape, type));
    taken.data = m_blocks[m_next++].data;
    return taken;
}

Tensor LayerMemory::allocate(const Shape& shape, DType type) const {
    return m_shared ? m_shared->allocate(shape, type) : m_backend->allocate(shape, type);
}

}  // namespace ringside
