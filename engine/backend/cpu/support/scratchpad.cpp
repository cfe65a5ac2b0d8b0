// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/support/scratchpad.h"

namespace ringside::cpu {

void* Scratchpad::last(std::size_t bytes) {
    constexpr std::size_t kAlignment = 64;
    const std::size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (whole > m_bytes) {
        m_block = {};
        m_block = HostBlock(m_memory, whole);
        m_bytes = m_block.data() ? whole : 0;
    }
    return m_block.data() ? static_cast<char*>(m_block.data()) + (m_bytes - whole) : nullptr;
}

}  // namespace ringside::cpu
