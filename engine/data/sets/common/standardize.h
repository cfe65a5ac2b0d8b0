// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

// Replaces each NaN feature by the mean of its column over `rows` (the training part). Returns the number of replaced
// values. Problems: a column without any value in these rows, a stop request on `stop`.
Result<std::int64_t> fillMissing(SampleTable& table, std::span<const std::uint32_t> rows, const std::string& what,
                                 const std::stop_token& stop = {});

// Shifts and scales each feature so that over `rows` (the training part) its mean is 0 and its variance 1, dividing by
// the number of rows as scikit-learn's StandardScaler does. A constant feature is only shifted. After a stop request on
// `stop` it soon returns with the table partly changed.
void standardize(SampleTable& table, std::span<const std::uint32_t> rows, const std::stop_token& stop = {});

}  // namespace ringside
