// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "watch/audit/recorded_facts.h"

namespace ringside {

// Comparison of samples by their content. Equal indices do not always mean equal samples: for example, each rank may
// have shuffled its list of files. Compares at most kMaxChecked samples, so that memory is bounded.
class ContentCheck {
  public:
    static constexpr std::size_t kMaxChecked = 1U << 17;

    // Adds the checksums of one sample that a rank has read. space: number of the data set. label: null if the sample
    // has no label.
    void add(int space, std::int64_t sample, int rank, std::uint32_t content, const std::uint32_t* label);

    // True if the contents show that equal indices on different ranks are not the same sample.
    bool contradicts() const;
    // Returns a sentence for users with the numbers of samples that make contradicts() true.
    std::string text() const;
    std::int64_t checked() const { return m_checked; }

  private:
    bool hasShiftedIndices() const;

    struct Seen {
        int space = 0;
        std::int64_t sample = 0;
        int rank = 0;
    };
    struct Sums {
        std::uint32_t content = 0;
        std::uint32_t label = 0;
        bool hasLabel = false;
        int rank = 0;
    };
    std::unordered_map<std::uint32_t, Seen> m_byContent;
    std::map<std::pair<int, std::int64_t>, Sums> m_bySample;
    std::int64_t m_checked = 0;
    int m_ranks = 0;
    std::int64_t m_sameIndex = 0;   // number of pairs of samples of two ranks with the same index but different
                                    // contents and labels
    std::int64_t m_otherIndex = 0;  // number of pairs of samples of two ranks with equal contents and different indices
    std::int64_t m_ownRepeats = 0;  // number of pairs of samples of one rank with equal contents and different indices
    std::int64_t m_ownChanges = 0;  // number of repeated readings of a sample by the same rank with changed content,
                                    // for example because of augmentation
};

}  // namespace ringside
