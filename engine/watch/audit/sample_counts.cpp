// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/sample_counts.h"

namespace ringside {

void SampleSet::insert(std::int64_t sample) {
    std::uint8_t* cell = m_cells.write(sample);
    if (cell == nullptr) {
        m_exact = false;
        return;
    }
    m_size += *cell == 0;
    *cell = 1;
}

std::int64_t SampleSet::countCommon(const SampleSet& other) const {
    std::int64_t count = 0;
    forEach([&](std::int64_t sample) { count += other.contains(sample); });
    return count;
}

void SampleCounts::add(std::int64_t sample, int rank) {
    ++m_assigned;
    std::uint16_t* cell = m_cells.write(sample);
    if (cell == nullptr) {
        m_exact = false;
        return;
    }
    const auto owner = static_cast<std::uint16_t>(rank + 1);
    if (*cell == 0) {
        *cell = owner;
        ++m_distinct;
        return;
    }
    m_shared += *cell != owner;
    ++m_repeated;
}

}  // namespace ringside
