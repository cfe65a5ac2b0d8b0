// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "comm/communicator.h"

namespace ringside {

// kTreeSum, of a power of two of sources of kFloat32: ((source0 + source2) + (source1 + source3)) for four. Else
// out[i] = ((source0[i] op source1[i]) op source2[i]) ..., always in the order of the sources, so that every rank that
// computes an element gets the same bits. Integers wrap. out may be one of the sources; it overlaps no other.
void reduceSources(CommType type, ReduceOp op, std::byte* out, std::span<const std::byte* const> sources,
                   std::size_t count);

}  // namespace ringside
