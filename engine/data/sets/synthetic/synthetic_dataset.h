// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stop_token>
#include <vector>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

// Returns the samples x and targets y of torch.manual_seed(seed); x = torch.randn(size, features); y =
// torch.randn(size, targets), bit for bit. After a stop request on `stop` it soon returns an incomplete table.
SampleTable makeSynthetic(const DatasetConfig& config, const std::stop_token& stop = {});

// Appends zeros until `values` has `count` entries. Works in portions and checks `stop` after each portion, because
// allocating gigabytes takes seconds.
template <class T>
void growTo(std::vector<T>& values, std::int64_t count, const std::stop_token& stop) {
    constexpr std::size_t kPortion = std::size_t{1} << 20;
    values.reserve(static_cast<std::size_t>(count));
    while (values.size() < static_cast<std::size_t>(count) && !stop.stop_requested()) {
        values.resize(std::min(values.size() + kPortion, static_cast<std::size_t>(count)));
    }
}

}  // namespace ringside
