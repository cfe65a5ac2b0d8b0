// SPDX-License-Identifier: Apache-2.0
// Where the processor is not an x86: ordinary stores.
#include <cstring>

#include "comm/shm/stream_copy.h"

namespace ringside {

void streamCopy(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace ringside
