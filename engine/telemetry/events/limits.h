// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Upper bounds of the counts, lengths and numbers in a telemetry line. The decoder refuses lines that exceed them.
namespace ringside::limits {

// largest integer that every JSON reader represents exactly
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;
inline constexpr std::int64_t kMaxBatch = std::int64_t{1} << 31;
inline constexpr std::int64_t kMaxWindow = std::int64_t{1} << 40;  // maximum number of samples in one entry of a
                                                                   // thinned line
inline constexpr std::int64_t kMaxRanks = 4096;
inline constexpr std::size_t kMaxColumn = 1U << 16;
inline constexpr std::int64_t kMaxSide = 256;      // maximum number of rows or columns of cells of a gradient's grid
inline constexpr std::size_t kMaxText = 1U << 16;  // maximum number of bytes of one string
inline constexpr std::size_t kMaxLastLines = 1000;

}  // namespace ringside::limits
