// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

// Puts the mean of its column over the given rows (the training part) where a feature is NaN, and returns how many
// were. A column without any value in those rows is a problem, and so is that `stop` is asked for.
Result<std::int64_t> fillMissing(SampleTable& table, std::span<const std::uint32_t> rows, const std::string& what,
                                 const std::stop_token& stop = {});

// Shifts and scales each feature so that over the given rows (the training part) its mean is 0 and its variance 1,
// dividing by the number of rows as scikit-learn's StandardScaler does. A constant feature is only shifted. When `stop`
// is asked for, the table is soon left as it is.
void standardize(SampleTable& table, std::span<const std::uint32_t> rows, const std::stop_token& stop = {});

}  // namespace ringside
