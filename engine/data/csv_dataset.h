// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/memory_dataset.h"

namespace ringside {

inline constexpr std::size_t kMaxCsvBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxClasses = 10000;
inline constexpr std::size_t kMaxNumericClasses = 1000;

// A table of numbers with one column to predict. A first line with a name above a number is the header. Text labels
// are classes, sorted; whole numbers are classes too while there are at most 1,000 different ones; other numbers are
// regression targets. Missing and non-finite values are refused with line and column.
Result<SampleTable> parseCsv(std::string_view text, const std::string& what, const std::string& labelColumn);

// The same from a file, plain or gzip-packed.
Result<SampleTable> readCsv(const std::filesystem::path& path, const std::string& labelColumn);

}  // namespace ringside
