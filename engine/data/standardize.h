// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "data/memory_dataset.h"

namespace ringside {

// Puts the mean of its column over the given rows (the training part) where a feature is NaN, and returns how many
// were. A column without any value in those rows is a problem.
Result<std::int64_t> fillMissing(SampleTable& table, std::span<const std::uint32_t> rows, const std::string& what);

// Shifts and scales each feature so that over the given rows (the training part) its mean is 0 and its variance 1,
// dividing by the number of rows as scikit-learn's StandardScaler does. A constant feature is only shifted.
void standardize(SampleTable& table, std::span<const std::uint32_t> rows);

}  // namespace ringside
