// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stop_token>
#include <vector>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

// torch.manual_seed(seed); x = torch.randn(size, features); y = torch.randn(size, targets), bit for bit. When `stop` is
// asked for, what comes back soon is not the whole of it.
SampleTable makeSynthetic(const DatasetConfig& config, const std::stop_token& stop = {});

// count zeros, page after page: of gigabytes that takes seconds, and as long to be stopped if done at one go.
template <class T>
void growTo(std::vector<T>& values, std::int64_t count, const std::stop_token& stop) {
    constexpr std::size_t kPortion = std::size_t{1} << 20;
    values.reserve(static_cast<std::size_t>(count));
    while (values.size() < static_cast<std::size_t>(count) && !stop.stop_requested()) {
        values.resize(std::min(values.size() + kPortion, static_cast<std::size_t>(count)));
    }
}

}  // namespace ringside
