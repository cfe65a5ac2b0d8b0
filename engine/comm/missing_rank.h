// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "comm/store.h"

namespace ringside {

// Returns the rank that the other ranks wait for. Must be called by each rank whose wait has failed: the call writes a
// key of this rank under `prefix`, then waits for the key of each of the `size` ranks in turn, for at most one second
// per rank (or `timeout` if that is shorter), and returns the first rank without a key. Returns -1 if every rank has
// written its key or if the store is unreachable.
int findMissingRank(Store& store, const std::string& prefix, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace ringside
