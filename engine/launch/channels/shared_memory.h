// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/system/unique_fd.h"

namespace ringside {

// Size of the memory the ranks of one host share for their collectives. Sparse: only touched pages cost anything.
// comm/shm/arena.h says how it is laid out.
constexpr std::size_t sharedMemoryBytes(int worldSize) {
    return (std::size_t{512} << 20) + static_cast<std::size_t>(worldSize) * (std::size_t{512} << 20);
}

// Anonymous zero-filled memory of that size, sealed against resizing; every worker inherits the descriptor
// (RankChannels::kSharedFd). It disappears with its last holder. Throws IoError.
UniqueFd createSharedMemory(std::size_t bytes);

}  // namespace ringside
