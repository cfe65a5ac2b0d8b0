// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "watch/evidence/rank_evidence.h"

namespace ringside {

// The data set of a loader with all Subset objects resolved, so that samples of different loaders and ranks can be
// compared. The sample of an index is its index in the innermost data set.
class SampleSource {
  public:
    SampleSource(const RankEvidence& rank, const LoaderEvidence& loader);

    // Returns false if the data set or the indices of a Subset were not reported.
    bool isKnown() const { return m_isKnown; }
    std::int64_t length() const { return m_length; }  // returns the number of indices; -1 if not known
    const Json& base() const { return *m_base; }      // returns the facts of the innermost data set
    // Returns the number of the innermost data set object in its process.
    std::int64_t object() const { return m_object; }
    bool isSubset() const { return !m_maps.empty(); }
    // Returns the sample of an index, or -1 if the index is out of range.
    std::int64_t sampleOf(std::int64_t index) const;
    // Returns all samples that the loader can draw, ascending; empty if not known.
    std::vector<std::int64_t> pool() const;
    // Returns the samples of the given indices, in order.
    std::vector<std::int64_t> samplesOf(std::span<const std::uint32_t> indices) const;

  private:
    std::vector<const std::vector<std::int64_t>*> m_maps;  // index lists of the nested Subsets, the outermost first
    const Json* m_base;
    std::int64_t m_object = -1;
    std::int64_t m_length = -1;
    bool m_isKnown = true;
};

// Whether the same sample number means the same sample in two data sets.
enum class Sameness { kNotKnown, kSame, kDifferent };

// Compares the innermost data sets of two ranks: length, fingerprints, file lists and content. If these are not
// reported, compares the checksums of samples that both ranks have read.
Sameness compareSources(const RankEvidence& rank, const LoaderEvidence& loader, const RankEvidence& otherRank,
                        const LoaderEvidence& otherLoader);

// Checksums of one fingerprinted sample. sampleSums() returns the checksums of a loader, by sample.
struct SampleSums {
    std::int64_t sample = 0;  // CRC-32 of the sample's values
    std::int64_t label = 0;   // CRC-32 of its label; 0 if there is none
};
std::map<std::int64_t, SampleSums> sampleSums(const RankEvidence& rank, const LoaderEvidence& loader);

// Returns the number of different sample contents that both loaders have delivered in their fingerprinted batches.
std::int64_t countOfCommonContents(const LoaderEvidence& one, const LoaderEvidence& other);

}  // namespace ringside
