// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "comm/store.h"

namespace ringside {

// Which ranks hold the same shared memory, told by the memory itself: a number for every rank, the same for those that
// do. sharedFd: -1 for a rank that shares none. Throws CommError when a rank does not say so in time.
std::vector<int> findMemorySharers(Store& store, int sharedFd, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace ringside
