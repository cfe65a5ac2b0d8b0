// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/subset_dataset.h"

#include <algorithm>

namespace ringside {

SubsetDataset::SubsetDataset(std::shared_ptr<const Dataset> whole, std::vector<std::uint32_t> indices)
    : m_whole(std::move(whole)), m_indices(std::move(indices)) {
    RINGSIDE_ASSERT(std::ranges::all_of(m_indices, [&](std::uint32_t i) { return i < m_whole->size(); }));
}

std::int64_t SubsetDataset::original(std::int64_t index) const {
    RINGSIDE_ASSERT(index >= 0 && index < size());
    return m_indices[static_cast<std::size_t>(index)];
}

}  // namespace ringside
