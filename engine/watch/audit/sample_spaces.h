// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "watch/audit/epoch_chain.h"

namespace ringside {

// Maps the indices of a rank's loader to sample numbers that can be compared between ranks, loaders and runs.
struct SampleMap {
    // number of the data set: two loaders with the same number have the same samples at the same indices
    int space = -1;
    std::int64_t length = -1;                                  // number of samples in the space; -1: not known
    std::string name{};                                        // name of the data set's class
    std::vector<const std::vector<std::uint32_t>*> subsets{};  // indices of the nested Subsets, from the outermost to
                                                               // the innermost
    std::string why{};  // reason why the indices cannot be compared; empty if they can

    // Returns the sample of an index; -1 if a Subset has no such index.
    std::int64_t sampleOf(std::int64_t index) const;
};

// Determines which data sets contain the same samples. The indices of a Subset are replaced by the indices in the data
// set inside it, because two Subsets may select different samples. Data sets of two ranks count as the same if the same
// line of the script uses them and all their facts are equal. Two data sets of one rank count as the same if they are
// one object, or if their contents are equal.
class SampleSpaces {
  public:
    // `chain` must outlive this object.
    explicit SampleSpaces(const std::vector<ChainedAttempt>& chain);

    // Returns the mapping from the indices of a rank's loader to samples.
    const SampleMap& mapOf(std::size_t attempt, int rank, std::int64_t loader) const;

  private:
    using Key = std::tuple<std::size_t, int, std::int64_t>;
    struct Node {
        int parent = 0;
        std::string description;
        bool hasContent = false;
    };
    int nodeOf(std::size_t attempt, int rank, std::int64_t loader, const DatasetLayer& layer);
    int rootOf(int node) const;
    void joinSpaces(int a, int b);
    void addStream(std::size_t number, const ChainedAttempt& attempt, const LoaderStream& stream);
    void joinRanks(std::size_t number, const LoaderStream& stream);
    void joinAttempts(std::size_t number, const std::vector<LoaderStream>& before,
                      const std::vector<LoaderStream>& after);
    void joinContents();

    std::map<Key, SampleMap> m_maps;
    std::map<Key, int> m_objects;  // index in m_nodes of each data set object, by (attempt, rank, object)
    std::vector<Node> m_nodes;
};

}  // namespace ringside
