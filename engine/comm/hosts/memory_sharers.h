// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "comm/store.h"

namespace ringside {

// Finds out which ranks share memory by comparing the identity of the shared file. Returns a number per rank, equal for
// ranks that share memory. sharedFd is -1 for a rank that shares none. Throws CommError if a rank does not report
// within the timeout.
std::vector<int> findMemorySharers(Store& store, int sharedFd, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace ringside
