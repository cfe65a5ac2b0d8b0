// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/stream_copy.h"

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

namespace ringside {

void streamCopy(std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
    if (bytes < head + kLine) {
        if (bytes > 0) std::memcpy(to, from, bytes);
        return;
    }
    if (head > 0) std::memcpy(to, from, head);
    std::size_t done = head;
    for (; done + kLine <= bytes; done += kLine) {
        auto* line = reinterpret_cast<__m128i*>(to + done);
        const auto* source = reinterpret_cast<const __m128i*>(from + done);
        for (int i = 0; i < 4; ++i) _mm_stream_si128(line + i, _mm_loadu_si128(source + i));
    }
    if (done < bytes) std::memcpy(to + done, from + done, bytes - done);
    _mm_sfence();  // such stores are ordered by nothing else
}

}  // namespace ringside
