// SPDX-License-Identifier: Apache-2.0
#include "train/devices/pinned_memory.h"

namespace ringside {

PinnedMemory::~PinnedMemory() {
    for (void* block : m_blocks)
        if (block) m_runtime->releaseHost(block);
}

std::byte* PinnedMemory::allocate(std::size_t bytes) {
    m_blocks.push_back(nullptr);
    m_blocks.back() = m_runtime->allocateHost(bytes);
    return static_cast<std::byte*>(m_blocks.back());
}

}  // namespace ringside
