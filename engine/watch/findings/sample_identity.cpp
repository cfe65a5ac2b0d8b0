// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/sample_identity.h"

#include <algorithm>
#include <set>

#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

constexpr int kMaxDepth = 8;

const Json& emptyObject() {
    static const Json none = Json::object();
    return none;
}

// Returns the facts that identify the content of a data set: hashes of file lists, fingerprints and checksums.
Json identityOf(const Json& dataset) {
    Json identity = Json::object();
    if (!dataset.is_object()) return identity;
    for (const auto& [key, value] : dataset.items())
        if (key.ends_with("_sha256") || key == "fingerprint" || key == "content_crc32") identity[key] = value;
    if (const Json* const parts = memberOf(dataset, "parts"); parts != nullptr && parts->is_array())
        for (const Json& part : *parts) {
            const Json inner = identityOf(part);
            if (!inner.empty()) identity["parts"].push_back(inner);
        }
    return identity;
}

Sameness compareSums(const std::map<std::int64_t, SampleSums>& own, const std::map<std::int64_t, SampleSums>& other) {
    constexpr std::size_t kMinCommon = 3;
    constexpr std::size_t kMinLabels = 16;  // least number of compared labels, because labels are equal by chance
                                            // more often than samples
    std::size_t common = 0, equal = 0, equalLabels = 0;
    std::set<std::int64_t> contents, labels;
    for (const auto& [sample, sums] : own) {
        const auto found = other.find(sample);
        if (found == other.end()) continue;
        ++common;
        equal += sums.sample == found->second.sample ? 1 : 0;
        equalLabels += sums.label == found->second.label ? 1 : 0;
        contents.insert(sums.sample);
        labels.insert(sums.label);
    }
    if (common < kMinCommon || contents.size() < 2) return Sameness::kNotKnown;
    if (equal == common) return Sameness::kSame;
    // Random augmentation changes the content of a sample, but not its label.
    if (common >= kMinLabels && labels.size() >= 2 && equalLabels == common) return Sameness::kSame;
    if (equal == 0 && common >= kMinLabels && labels.size() >= 2 && equalLabels < common) return Sameness::kDifferent;
    return Sameness::kNotKnown;
}

}  // namespace

SampleSource::SampleSource(const RankEvidence& rank, const LoaderEvidence& loader) : m_base(&emptyObject()) {
    const Json* facts = memberOf(loader.facts, "dataset");
    m_isKnown = facts != nullptr;
    if (facts == nullptr) return;
    m_length = numberOf(*facts, "length", -1);
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        m_base = facts;
        m_object = numberOf(*facts, "object", -1);
        const Json* const inner = memberOf(*facts, "inner");
        const bool isSubset = memberOf(*facts, "indices_sha256") != nullptr;
        if (inner == nullptr) break;
        const auto found = rank.subsets.find(m_object);
        if (isSubset && found != rank.subsets.end())
            m_maps.push_back(&found->second);
        else if (isSubset)
            m_isKnown = false;
        facts = inner;
    }
}

std::int64_t SampleSource::sampleOf(std::int64_t index) const {
    for (const std::vector<std::int64_t>* const map : m_maps) {
        if (index < 0 || index >= static_cast<std::int64_t>(map->size())) return -1;
        index = (*map)[static_cast<std::size_t>(index)];
    }
    return index;
}

std::vector<std::int64_t> SampleSource::pool() const {
    std::vector<std::int64_t> samples;
    constexpr std::int64_t kMax = std::int64_t{1} << 24;
    if (!m_isKnown || m_length < 0 || m_length > kMax) return samples;
    for (std::int64_t index = 0; index < m_length; ++index) samples.push_back(sampleOf(index));
    std::ranges::sort(samples);
    return samples;
}

std::vector<std::int64_t> SampleSource::samplesOf(std::span<const std::uint32_t> indices) const {
    std::vector<std::int64_t> samples;
    samples.reserve(indices.size());
    for (const std::uint32_t index : indices) samples.push_back(sampleOf(index));
    return samples;
}

std::map<std::int64_t, SampleSums> sampleSums(const RankEvidence& rank, const LoaderEvidence& loader) {
    std::map<std::int64_t, SampleSums> sums;
    const SampleSource source(rank, loader);
    for (const auto& [number, pass] : loader.passes) {
        for (const BatchContent& content : pass.contents) {
            const auto indices = loader.indicesOf(number, content.batch);
            for (std::size_t i = 0; i < std::min(indices.size(), content.samples.size()); ++i)
                sums.emplace(source.sampleOf(indices[i]),
                             SampleSums{content.samples[i], i < content.labels.size() ? content.labels[i] : 0});
        }
    }
    return sums;
}

Sameness compareSources(const RankEvidence& rank, const LoaderEvidence& loader, const RankEvidence& otherRank,
                        const LoaderEvidence& otherLoader) {
    const SampleSource own(rank, loader);
    const SampleSource other(otherRank, otherLoader);
    if (textOf(own.base(), "class") != textOf(other.base(), "class") ||
        numberOf(own.base(), "length") != numberOf(other.base(), "length"))
        return Sameness::kDifferent;
    Json identity = identityOf(own.base());
    if (!identity.empty()) return identity == identityOf(other.base()) ? Sameness::kSame : Sameness::kDifferent;
    return compareSums(sampleSums(rank, loader), sampleSums(otherRank, otherLoader));
}

std::int64_t countOfCommonContents(const LoaderEvidence& one, const LoaderEvidence& other) {
    const auto contentsOf = [](const LoaderEvidence& loader) {
        std::set<std::int64_t> contents;
        for (const auto& [number, pass] : loader.passes)
            for (const BatchContent& batch : pass.contents) contents.insert(batch.samples.begin(), batch.samples.end());
        return contents;
    };
    const std::set<std::int64_t> own = contentsOf(one);
    return std::ranges::count_if(contentsOf(other), [&](std::int64_t sum) { return own.contains(sum); });
}

}  // namespace ringside
