// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Maximum counts, lengths and numbers in a telemetry line. The decoder rejects lines that exceed them.
namespace ringside::limits {

// largest integer up to which every JSON parser represents all integers exactly
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;
inline constexpr std::int64_t kMaxBatch = std::int64_t{1} << 31;
// maximum number of samples in one entry of a thinned line, which combines several steps
inline constexpr std::int64_t kMaxWindow = std::int64_t{1} << 40;
inline constexpr std::int64_t kMaxRanks = 4096;
inline constexpr std::size_t kMaxColumn = 1U << 16;
// maximum number of rows, and of columns, in the grid that shows a gradient
inline constexpr std::int64_t kMaxSide = 256;
inline constexpr std::size_t kMaxText = 1U << 16;  // maximum length of a string in bytes
inline constexpr std::size_t kMaxLastLines = 1000;

}  // namespace ringside::limits
