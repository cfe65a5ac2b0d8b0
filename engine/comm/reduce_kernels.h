// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "comm/communicator.h"

namespace ringside {

// Reduces `count` elements of the sources into `out`: out[i] = ((source0[i] op source1[i]) op source2[i]) ..., always
// in the order of the sources, so that every rank that computes an element gets the same bits.
// kTreeSum adds along a binary tree instead, for four sources ((source0 + source2) + (source1 + source3)); it requires
// floats and a power of two of sources. Integers wrap. `out` may be one of the sources; it must not overlap any other.
void reduceSources(CommType type, ReduceOp op, std::byte* out, std::span<const std::byte* const> sources,
                   std::size_t count);

}  // namespace ringside
