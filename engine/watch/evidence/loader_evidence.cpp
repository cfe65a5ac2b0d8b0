// SPDX-License-Identifier: Apache-2.0
#include "watch/evidence/loader_evidence.h"

#include <algorithm>
#include <limits>

#include "telemetry/events/limits.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {

void IndexList::append(std::int64_t number, const std::vector<std::int64_t>& index, std::size_t& budget) {
    m_count += static_cast<std::int64_t>(index.size());
    const auto fits = [](std::int64_t one) { return one >= 0 && one <= std::numeric_limits<std::uint32_t>::max(); };
    if (!m_isWhole || index.size() > budget || !std::ranges::all_of(index, fits)) {
        m_isWhole = false;
        return;
    }
    budget -= index.size();
    const bool continues = !m_batches.empty() && m_batches.back().number == number && m_lastPiece == limits::kMaxColumn;
    if (!continues) m_batches.push_back({number, m_index.size()});
    m_lastPiece = index.size();
    for (const std::int64_t one : index) m_index.push_back(static_cast<std::uint32_t>(one));
}

std::span<const std::uint32_t> IndexList::indicesOf(std::size_t position) const {
    const std::size_t end = position + 1 < m_batches.size() ? m_batches[position + 1].first : m_index.size();
    return all().subspan(m_batches[position].first, end - m_batches[position].first);
}

bool LoaderEvidence::hasTrainedBatch() const {
    return isTrained() || std::ranges::any_of(passes, [](const auto& one) { return one.second.trained > 0; });
}

std::string LoaderEvidence::sourceLine() const {
    return textOf(facts, "where");
}

std::string LoaderEvidence::createdAt() const {
    std::string line = textOf(facts, "created");
    return line.empty() ? sourceLine() : line;
}

std::string LoaderEvidence::subsetLine() const {
    const Json* const dataset = memberOf(facts, "dataset");
    std::string line = dataset == nullptr ? std::string() : textOf(*dataset, "created");
    return line.empty() ? createdAt() : line;
}

std::optional<std::int64_t> LoaderEvidence::epochOf(std::int64_t pass) const {
    const auto found = passes.find(pass);
    if (found == passes.end()) return {};
    if (found->second.hasEnded) return found->second.epoch;
    std::int64_t next = 0;
    for (const auto& [number, one] : passes)
        if (one.epoch) next = std::max(next, *one.epoch + 1);
    return epochs.contains(next) ? std::optional(next) : std::nullopt;
}

std::span<const std::uint32_t> LoaderEvidence::indicesOf(std::int64_t pass, std::int64_t batch) const {
    const auto found = passes.find(pass);
    if (found == passes.end() || batch < 0) return {};
    const IndexList& evaluated = found->second.evaluated;
    for (std::size_t i = 0; i < evaluated.batches(); ++i)
        if (evaluated.batch(i).number == batch) return evaluated.indicesOf(i);
    if (evaluated.count() > 0)
        return {};  // a pass with evaluated and trained batches: the position of a trained batch
                    // in the pass is not known
    const auto epoch = epochOf(pass);
    const auto list = epoch ? epochs.find(*epoch) : epochs.end();
    const auto position = static_cast<std::size_t>(batch);
    if (list == epochs.end() || position >= list->second.batches()) return {};
    return list->second.indicesOf(position);
}

}  // namespace ringside
