// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "data/memory_dataset.h"

namespace ringside {

// Shifts and scales each feature so that over the given rows (the training part) its mean is 0 and its variance 1,
// dividing by the number of rows as scikit-learn's StandardScaler does. A constant feature is only shifted.
void standardize(SampleTable& table, std::span<const std::uint32_t> rows);

}  // namespace ringside
