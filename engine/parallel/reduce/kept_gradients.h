// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/backend.h"
#include "config/leaves.h"

namespace ringside {

// Adds gradients of earlier passes to `gradient`: those kept at the levels of the tree sum whose bits are set in
// `adds`, the lowest level first. kept(level) returns the gradient kept at a level.
template <class Kept>
void addKeptGradients(Backend& backend, unsigned adds, const Tensor& gradient, const Kept& kept) {
    for (std::size_t level = 0; adds >> level != 0; ++level)
        if ((adds >> level & 1) != 0) backend.add(kept(level), gradient);
}

// Keeps a gradient for later passes of the step. First adds to it the sums that are kept at the levels of the tree sum
// in sumStep.adds; then keeps the result at level sumStep.keepAt.
template <class Kept>
void addInTree(Backend& backend, const Tensor& gradient, const TreeSumStep& sumStep, const Kept& kept) {
    const auto level = static_cast<std::size_t>(sumStep.keepAt);
    // the sum is written to the memory of the kept gradient
    if (sumStep.adds == 1U << level) return backend.add(gradient, kept(level));
    addKeptGradients(backend, sumStep.adds, gradient, kept);
    backend.copy(gradient, kept(level));
}

}  // namespace ringside
