// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sweeps/guarded_memory.h"
#include "sweeps/sweep_case.h"

namespace ringside {

// Runs a layer forward and backward in guarded memory, twice. Compares the results with plain loops in double, and the
// two runs with each other. Returns the first fault, or nothing.
std::optional<std::string> findFault(const SweepCase& which, int threads);

}  // namespace ringside
