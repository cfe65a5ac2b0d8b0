// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What a telemetry line may say at most; more is refused, whoever sent it.
namespace ringside::limits {

inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;  // exact in every JSON reader
inline constexpr std::int64_t kMaxBatch = std::int64_t{1} << 31;
inline constexpr std::int64_t kMaxWindow = std::int64_t{1} << 40;  // samples in the steps of a thinned entry
inline constexpr std::int64_t kMaxRanks = 4096;
inline constexpr std::size_t kMaxColumn = 1U << 16;
inline constexpr std::int64_t kMaxSide = 256;      // cells of a gradient's grid
inline constexpr std::size_t kMaxText = 1U << 16;  // bytes of one string
inline constexpr std::size_t kMaxLastLines = 1000;

}  // namespace ringside::limits
