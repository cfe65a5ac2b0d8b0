// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "comm/store.h"

namespace ringside {

// Finds the rank that the others wait for. Called by a rank whose wait has failed. Each failing rank writes a key under
// `prefix`; the first of `size` ranks without such a key after one second, or after `timeout` if that is shorter, is
// returned. Returns -1 if every rank has written its key or if the store is unreachable.
int firstSilentRank(Store& store, const std::string& prefix, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace ringside
