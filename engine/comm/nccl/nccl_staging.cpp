// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_staging.h"

namespace ringside {

std::size_t NcclStaging::bytesOf(CommBuffer buffer) {
    constexpr std::size_t kAlignment = 256;
    return (buffer.bytes() + kAlignment - 1) / kAlignment * kAlignment;
}

void NcclStaging::reserve(std::size_t bytes) {
    if (bytes <= m_bytes) return;
    void* larger = m_device.allocate(bytes);
    release();
    m_memory = larger;
    m_bytes = bytes;
}

void* NcclStaging::stage(CommBuffer buffer, std::size_t offset, bool withContent) {
    void* place = static_cast<std::byte*>(m_memory) + offset;
    if (withContent) m_device.copy(place, buffer.data, buffer.bytes(), m_stream);
    return place;
}

void NcclStaging::release() {
    if (m_memory) m_device.release(m_memory);
    m_memory = nullptr;
    m_bytes = 0;
}

}  // namespace ringside
