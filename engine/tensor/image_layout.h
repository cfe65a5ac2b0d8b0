// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Order of the values of image batches inside a model: (B,H,W,C), or (B,C/kChannelBlock,H,W,kChannelBlock).
enum class ImageLayout { kChannelsLast, kChannelBlocks };
inline constexpr std::int64_t kChannelBlock = 16;

}  // namespace ringside
