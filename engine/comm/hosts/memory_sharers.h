// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "comm/store.h"

namespace ringside {

// Determines which ranks share memory by comparing the identities of their shared files. Returns a number per rank,
// equal for ranks that share memory. sharedFd: shared file of this rank; -1 if this rank shares no memory. Throws
// CommError if a rank does not report within the timeout.
std::vector<int> findMemorySharers(Store& store, int sharedFd, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace ringside
