// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ringside {

// In one piece each, so that the largest sum is the least: the number of costs in each piece, at least one.
std::vector<std::size_t> balancedCut(const std::vector<double>& costs, std::size_t pieces);

}  // namespace ringside
