// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "comm/store.h"

namespace ringside {

// Whom all others wait for, asked by a rank whose wait has failed: whoever fails signs the store, and the first of
// `size` ranks that does not within a second, or the timeout, is the one. -1: nobody, or the store is gone.
int firstSilentRank(Store& store, const std::string& prefix, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace ringside
