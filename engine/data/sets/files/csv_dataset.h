// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

inline constexpr std::size_t kMaxCsvBytes = std::size_t{1} << 30;

// A table of numbers with one column to predict, read as config.labelColumn, header and missing say. Text labels are
// classes, sorted; whole numbers are classes too while there are at most 1,000 different ones; other numbers are
// regression targets. Non-finite values are refused with line and column, and missing ones as config.missing is:
//   refuse  as non-finite ones
//   drop    rows with one are left out
//   mean    missing features are NaN, for fillMissing(); a missing label is refused
Result<SampleTable> parseCsv(std::string_view text, const std::string& what, const DatasetConfig& config,
                             const std::stop_token& stop = {});

// The same from a file: plain up to kMaxCsvBytes, or packed with gzip.
Result<SampleTable> readCsv(const std::filesystem::path& path, const DatasetConfig& config,
                            const std::stop_token& stop = {});

}  // namespace ringside
