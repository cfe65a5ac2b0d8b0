// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/backend.h"
#include "config/leaves.h"

namespace ringside {

// Adds the gradients of earlier passes that are kept at each level of the tree sum whose bit is set in `adds`, the
// lowest level first. kept(level) returns the gradient kept at a level.
template <class Kept>
void addKeptGradients(Backend& backend, unsigned adds, const Tensor& gradient, const Kept& kept) {
    for (std::size_t level = 0; adds >> level != 0; ++level)
        if ((adds >> level & 1) != 0) backend.add(kept(level), gradient);
}

// Keeps a gradient that is not the last of its step at level turn.keepAt of the tree sum, after adding the gradients
// kept at the levels in turn.adds.
template <class Kept>
void addInTree(Backend& backend, const Tensor& gradient, const TreeTurn& turn, const Kept& kept) {
    const auto level = static_cast<std::size_t>(turn.keepAt);
    if (turn.adds == 1U << level)
        return backend.add(gradient, kept(level));  // backend.add() adds in place to the kept gradient
    addKeptGradients(backend, turn.adds, gradient, kept);
    backend.copy(gradient, kept(level));
}

}  // namespace ringside
