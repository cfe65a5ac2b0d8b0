// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

inline constexpr std::size_t kMaxCsvBytes = std::size_t{1} << 30;

// Parses a table of numbers with one label column, as configured by labelColumn, header and missing.
//
// Text labels are classes, sorted by name. Whole numbers are classes if there are at most 1,000 different ones. Other
// numbers are regression targets. Non-finite values are problems that name line and column. Missing values depend on
// config.missing:
//   refuse  problems, like non-finite values
//   drop    their rows are dropped
//   mean    missing features become NaN, for fillMissing(); a missing label is a problem
Result<SampleTable> parseCsv(std::string_view text, const std::string& what, const DatasetConfig& config,
                             const std::stop_token& stop = {});

// Reads and parses a file: uncompressed up to kMaxCsvBytes, or compressed with gzip.
Result<SampleTable> readCsv(const std::filesystem::path& path, const DatasetConfig& config,
                            const std::stop_token& stop = {});

}  // namespace ringside
