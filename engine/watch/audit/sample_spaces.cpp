// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/sample_spaces.h"

#include <algorithm>

namespace ringside {
namespace {

using Layers = std::vector<const LoaderFacts*>;  // facts of the loaders that one line of the script has created on all
                                                 // ranks

// Returns the indices of the Subset that `layer` describes, or null if the rank has not reported all of them.
const std::vector<std::uint32_t>* subsetOf(const RankFacts& rank, const DatasetLayer& layer) {
    const auto found = rank.subsets.find(layer.object);
    const bool whole = found != rank.subsets.end() && static_cast<std::int64_t>(found->second.size()) == layer.length;
    return whole ? &found->second : nullptr;
}

// Treatment of one layer of nested data sets (a wrapper or the innermost data set), the same on all ranks of a loader.
enum class LayerKind {
    kBase,         // innermost data set, whose samples are compared
    kSubset,       // Subset whose indices are known on all ranks
    kSameSubset,   // Subset whose indices are not known but equal on all ranks, so that positions in the Subset are
                   // compared as samples
    kOtherSubset,  // Subset whose indices are not known and differ between ranks
    kWrapper       // wrapper that passes indices through to the data set inside, which has the same length
};

LayerKind kindOf(const AttemptFacts& attempt, const LoaderStream& stream, std::size_t depth) {
    bool base = false, subsets = true, wrappers = true, known = true, same = true;
    std::string sha256;
    for (const auto& [rank, id] : stream.loaders) {
        const RankFacts& facts = attempt.at(rank);
        const std::vector<DatasetLayer>& layers = facts.loaders.at(id).dataset;
        if (depth + 1 >= layers.size()) {
            base = true;
            continue;
        }
        const DatasetLayer& layer = layers[depth];
        subsets &= !layer.indicesSha256.empty();
        wrappers &= layer.indicesSha256.empty() && layer.length >= 0 && layer.length == layers[depth + 1].length;
        known &= subsetOf(facts, layer) != nullptr;
        if (sha256.empty()) sha256 = layer.indicesSha256;
        same &= sha256 == layer.indicesSha256;
    }
    if (base) return LayerKind::kBase;
    if (subsets && known) return LayerKind::kSubset;
    if (subsets) return same ? LayerKind::kSameSubset : LayerKind::kOtherSubset;
    return wrappers ? LayerKind::kWrapper : LayerKind::kBase;
}

}  // namespace

std::int64_t SampleMap::sampleOf(std::int64_t index) const {
    for (const std::vector<std::uint32_t>* subset : subsets) {
        if (index < 0 || index >= static_cast<std::int64_t>(subset->size())) return -1;
        index = (*subset)[static_cast<std::size_t>(index)];
    }
    return index;
}

SampleSpaces::SampleSpaces(const std::vector<ChainedAttempt>& chain) {
    const ChainedAttempt* before = nullptr;
    for (std::size_t number = 0; number < chain.size(); ++number) {
        for (const auto* streams : {&chain[number].training, &chain[number].validation}) {
            for (const LoaderStream& stream : *streams) addStream(number, chain[number], stream);
        }
        if (before != nullptr) {
            joinAttempts(number, before->training, chain[number].training);
            joinAttempts(number, before->validation, chain[number].validation);
        }
        before = &chain[number];
    }
    joinContents();
    for (auto& [key, map] : m_maps) map.space = rootOf(map.space);
}

const SampleMap& SampleSpaces::mapOf(std::size_t attempt, int rank, std::int64_t loader) const {
    static const SampleMap unknown{.why = "the loader was not reported"};
    const auto found = m_maps.find({attempt, rank, loader});
    return found == m_maps.end() ? unknown : found->second;
}

int SampleSpaces::nodeOf(std::size_t attempt, int rank, std::int64_t loader, const DatasetLayer& layer) {
    const std::int64_t object = layer.object >= 0 ? layer.object : -2 - loader;  // an object that was not reported gets
                                                                                 // a negative number that depends on
                                                                                 // its loader
    const auto [found, isNew] = m_objects.try_emplace(Key{attempt, rank, object}, static_cast<int>(m_nodes.size()));
    if (isNew) m_nodes.push_back({found->second, layer.description, layer.hasContent});
    return found->second;
}

int SampleSpaces::rootOf(int node) const {
    while (m_nodes[static_cast<std::size_t>(node)].parent != node)
        node = m_nodes[static_cast<std::size_t>(node)].parent;
    return node;
}

void SampleSpaces::joinSpaces(int a, int b) {
    const int first = rootOf(a), second = rootOf(b);
    m_nodes[static_cast<std::size_t>(std::max(first, second))].parent = std::min(first, second);
}

void SampleSpaces::addStream(std::size_t number, const ChainedAttempt& attempt, const LoaderStream& stream) {
    for (std::size_t depth = 0;; ++depth) {
        const LayerKind kind = kindOf(*attempt.facts, stream, depth);
        const bool stops = kind != LayerKind::kSubset && kind != LayerKind::kWrapper;
        for (const auto& [rank, id] : stream.loaders) {
            const RankFacts& facts = attempt.facts->at(rank);
            const std::vector<DatasetLayer>& layers = facts.loaders.at(id).dataset;
            const DatasetLayer& layer = layers[std::min(depth, layers.size() - 1)];
            SampleMap& map = m_maps[Key{number, rank, id}];
            if (kind == LayerKind::kSubset) map.subsets.push_back(subsetOf(facts, layer));
            if (!stops) continue;
            map.space = nodeOf(number, rank, id, layer);
            map.length = layer.length;
            map.name = layer.name;
            if (kind == LayerKind::kOtherSubset)
                map.why =
                    "each rank selects different samples with a Subset, and the indices of the Subsets are not "
                    "recorded";
        }
        if (stops) break;
    }
    joinRanks(number, stream);
}

// Assigns one space (numbering of samples) to data sets of different ranks if their descriptions are equal.
void SampleSpaces::joinRanks(std::size_t number, const LoaderStream& stream) {
    std::map<std::string, int> firsts;
    for (const auto& [rank, id] : stream.loaders) {
        const int node = m_maps.at(Key{number, rank, id}).space;
        const auto [first, isNew] = firsts.try_emplace(m_nodes[static_cast<std::size_t>(node)].description, node);
        if (!isNew) joinSpaces(first->second, node);
    }
}

// Assigns one space (numbering of samples) to the data sets of a loader in two consecutive attempts. The attempts can
// have different numbers of ranks.
void SampleSpaces::joinAttempts(std::size_t number, const std::vector<LoaderStream>& before,
                                const std::vector<LoaderStream>& after) {
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        for (const auto& [rank, id] : after[i].loaders) {
            const int node = m_maps.at(Key{number, rank, id}).space;
            for (const auto& [otherRank, otherId] : before[i].loaders) {
                const int other = m_maps.at(Key{number - 1, otherRank, otherId}).space;
                if (m_nodes[static_cast<std::size_t>(node)].description ==
                    m_nodes[static_cast<std::size_t>(other)].description)
                    joinSpaces(node, other);
            }
        }
    }
}

void SampleSpaces::joinContents() {
    std::map<std::string, int> firsts;
    for (std::size_t node = 0; node < m_nodes.size(); ++node) {
        if (!m_nodes[node].hasContent) continue;
        const auto [first, isNew] = firsts.try_emplace(m_nodes[node].description, static_cast<int>(node));
        if (!isNew) joinSpaces(first->second, static_cast<int>(node));
    }
}

}  // namespace ringside
