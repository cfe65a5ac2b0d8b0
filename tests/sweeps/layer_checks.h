// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sweeps/guarded_memory.h"
#include "sweeps/sweep_case.h"

namespace ringside {

// Runs a layer forwards and backwards in guarded memory, twice, and compares with plain loops in double and the two
// runs with each other. What was wrong, or none.
std::optional<std::string> findFault(const SweepCase& which, int threads);

}  // namespace ringside
