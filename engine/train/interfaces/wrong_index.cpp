// SPDX-License-Identifier: Apache-2.0
#include "train/interfaces/wrong_index.h"

namespace ringside {

void WrongIndex::replaceIn(std::int64_t ofEpoch, std::int64_t firstSlot, std::span<std::int64_t> indices) const {
    if (ofEpoch != epoch || slot < firstSlot) return;
    const auto place = static_cast<std::size_t>(slot - firstSlot);
    if (place < indices.size()) indices[place] = sample;
}

}  // namespace ringside
