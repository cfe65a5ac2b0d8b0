// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ringside {

// Cuts costs into `pieces` contiguous pieces so that the largest sum of a piece is minimal. Returns the number of costs
// in each piece, at least 1. 1 <= pieces <= costs.size().
std::vector<std::size_t> balancedCut(const std::vector<double>& costs, std::size_t pieces);

}  // namespace ringside
