// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/run_config.h"

namespace ringside {

// training.reduction canonical: the global batch is dealt to L leaves, position p to leaf p mod L, and the leaves'
// gradients are summed in one tree: leaf l with leaf l + L/2, their sums with those that are L/4 apart, and so on. With
// N readers, which divide L, DistributedSampler's round robin deals leaf l to reader l mod N, whole; its sum of them is
// a node of the tree, which the readers go on with. So the sum depends on neither N nor on how the model is spread.
bool isCanonical(const RunConfig& config);

// Leaves that each reader has; 1 without a canonical reduction.
std::int64_t leavesPerRank(const RunConfig& config);

void checkLeaves(const RunConfig& config, Problems& problems);

// `value` with its lowest bits in the other order; `size` is the power of two that it is below.
int bitsReversed(int value, int size);

// How the gradient of one leaf joins those before it. Leaves have their turns in bit-reversed order, so that every two
// that are added have turns one behind the other, as when one counts in binary numbers.
struct TreeTurn {
    unsigned adds = 0;  // bit l: what is kept at level l is added to it
    int keepAt = -1;    // then it is kept at this level; -1: the sum is complete
    bool operator==(const TreeTurn&) const = default;
};

// turn: 0 to leaves - 1; filled: the first so many leaves have samples, the others are no part of the sum.
TreeTurn treeTurn(int turn, int leaves, int filled);

}  // namespace ringside
