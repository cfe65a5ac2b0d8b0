// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/run_config.h"

namespace ringside {

// Reduction order "canonical" (training.reduction): the sum of gradients does not depend on the number of ranks or on
// how the model is split. The global batch is split into L groups of samples, called leaves: the sample at position p
// belongs to leaf p mod L. The gradients of the leaves are summed in one fixed binary tree: leaf l with leaf l + L/2,
// then sums that are L/4 apart, and so on. DistributedSampler's round robin assigns leaf l as a whole to data-parallel
// rank l mod N, where N divides L. The sum of a rank's leaves is a node of the tree, and the ranks add their nodes in
// the order of the tree. With 8 leaves on two ranks:
//
//     rank 0, leaves   0   4   2   6             rank 1, leaves   1   5   3   7
//                       \ /     \ /                               \ /     \ /
//                       0+4     2+6                               1+5     3+7
//                          \   /                                     \   /
//                      sum of rank 0                             sum of rank 1
//                             |                                        |
//                             +------- sum of the global batch --------+
//
// True if training.reduction is canonical.
bool isCanonical(const RunConfig& config);

// Returns the number of leaves (groups of samples) of each data-parallel rank; 1 if training.reduction is not
// canonical.
std::int64_t leavesPerRank(const RunConfig& config);

void checkCanonicalReduction(const RunConfig& config, Problems& problems);

// Returns `value` with the order of its bits reversed. size: power of two above value; it determines the number of
// bits.
int bitsReversed(int value, int size);

// Step of the tree sum for one leaf (a group of samples of the global batch). Leaves are processed in bit-reversed
// order, so that two nodes that are added to each other are completed one after the other, as in a binary counter. At
// most one partial sum per level is kept.
struct TreeSumStep {
    unsigned adds = 0;  // bit l is set: add the partial sum that is kept at level l
    int keepAt = -1;    // level at which the result is kept; -1: the sum is complete
    bool operator==(const TreeSumStep&) const = default;
};

// Returns the step of the tree sum for the leaf (group of samples) with number `turn` in the order of processing,
// 0 <= turn < leaves. The first `filledLeaves` leaves contain samples; the others are not part of the sum.
TreeSumStep treeSumStep(int turn, int leaves, int filledLeaves);

}  // namespace ringside
