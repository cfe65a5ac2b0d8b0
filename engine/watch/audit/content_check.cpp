// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/content_check.h"

#include <algorithm>

namespace ringside {

void ContentCheck::add(int space, std::int64_t sample, int rank, std::uint32_t content, const std::uint32_t* label) {
    if (m_bySample.size() >= kMaxChecked) return;
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

// True if samples with equal contents have different indices on different ranks, so that an index does not mean the
// same sample on all ranks. Let P be the number of pairs of samples of two ranks with equal contents and different
// indices, and Q the number of such pairs within one rank. Requires that P is at least 3, at least 0.5 % of the checked
// samples, and more than 4 * Q * (number of ranks), because a data set that contains a sample twice also causes such
// pairs.
bool ContentCheck::hasShiftedIndices() const {
    return m_otherIndex >= 3 && m_otherIndex > 4 * m_ranks * m_ownRepeats && 200 * m_otherIndex >= m_checked;
}

bool ContentCheck::contradicts() const {
    return hasShiftedIndices() || (m_sameIndex > 1 && m_ownChanges == 0);
}

std::string ContentCheck::text() const {
    const std::string start =
        "equal indices do not mean equal samples: of " + std::to_string(m_checked) + " checked samples, ";
    if (!hasShiftedIndices()) return start + std::to_string(m_sameIndex) + " have different values on different ranks";
    return start + std::to_string(m_otherIndex) +
           " have the same content as a sample of another rank with another index";
}

}  // namespace ringside
