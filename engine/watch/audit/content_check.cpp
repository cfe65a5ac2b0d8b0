// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/content_check.h"

#include <algorithm>

namespace ringside {

void ContentCheck::add(int space, std::int64_t sample, int rank, std::uint32_t content, const std::uint32_t* label) {
    if (m_bySample.size() >= kMostChecked) return;
    const auto [known, isNew] =
        m_bySample.try_emplace({space, sample}, Sums{content, label == nullptr ? 0 : *label, label != nullptr, rank});
    const Sums& sums = known->second;
    if (isNew) ++m_checked;
    m_ranks = std::max(m_ranks, rank + 1);
    if (!isNew && sums.content != content) {
        const bool otherLabel = sums.hasLabel && label != nullptr && sums.label != *label;
        if (sums.rank == rank) {
            ++m_ownChanges;
        } else if (otherLabel || !sums.hasLabel) {
            ++m_sameIndex;
        }
    }
    const auto [found, isFirst] = m_byContent.try_emplace(content, Seen{space, sample, rank});
    const Seen& seen = found->second;
    if (isFirst || (seen.sample == sample && seen.space == space)) return;
    ++(seen.rank == rank ? m_ownRepeats : m_otherIndex);
}

// True if equal contents have different indices on different ranks, so that the indices of the ranks do not name the
// same samples. Requires at least 3 such pairs and 0.5 % of the checked samples, and more than 4 times (number of
// ranks) times the pairs within single ranks, because a data set that contains a sample twice has such pairs on each
// rank too.
bool ContentCheck::movesSamples() const {
    return m_otherIndex >= 3 && m_otherIndex > 4 * m_ranks * m_ownRepeats && 200 * m_otherIndex >= m_checked;
}

bool ContentCheck::contradicts() const {
    return movesSamples() || (m_sameIndex > 1 && m_ownChanges == 0);
}

std::string ContentCheck::text() const {
    const std::string start =
        "equal indices are not equal samples: of " + std::to_string(m_checked) + " checked samples, ";
    if (!movesSamples()) return start + std::to_string(m_sameIndex) + " have different values on different ranks";
    return start + std::to_string(m_otherIndex) +
           " have the same content as a sample of another rank with another index";
}

}  // namespace ringside
