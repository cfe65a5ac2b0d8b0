// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/system/unique_fd.h"

namespace ringside {

// Size in bytes of the memory that the ranks of one host share for their collectives (layout: comm/shm/arena.h). The
// memory is sparse: only touched pages are allocated.
constexpr std::size_t sharedMemoryBytes(int worldSize) {
    return (std::size_t{512} << 20) + static_cast<std::size_t>(worldSize) * (std::size_t{512} << 20);
}

// Creates anonymous zero-filled memory of `bytes` bytes, sealed against resizing. Each worker inherits the descriptor
// (RankChannels::kSharedFd). The memory is freed when the last descriptor and mapping are gone. Throws IoError.
UniqueFd createSharedMemory(std::size_t bytes);

}  // namespace ringside
