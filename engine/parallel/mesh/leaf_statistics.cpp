// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/leaf_statistics.h"

#include <algorithm>

namespace ringside {

namespace {

void addTo(std::vector<float>& sum, const std::vector<float>& other) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
}

}  // namespace

LeafStatistics::LeafStatistics(const Model& model, int levels) {
    std::size_t values = 0;
    for (const Parameter* one : model.state()) {
        if (std::ranges::find(model.parameters(), one) != model.parameters().end()) continue;
        (one->type == DType::kInt64 ? m_counters : m_buffers).push_back(one->value);
        if (one->type != DType::kInt64) values += static_cast<std::size_t>(one->shape.count());
    }
    m_start.resize(values);
    m_startCounts.resize(m_counters.size());
    m_sum.resize(values);
    m_kept.assign(static_cast<std::size_t>(levels), std::vector<float>(values));
}

void LeafStatistics::write(std::span<const float> values) {
    for (const Tensor& buffer : m_buffers) {
        const std::span<float> to = buffer.floats();
        std::ranges::copy(values.first(to.size()), to.begin());
        values = values.subspan(to.size());
    }
}

void LeafStatistics::beforeForward(int turn) {
    if (turn > 0) {
        write(m_start);
        for (std::size_t i = 0; i < m_counters.size(); ++i) m_counters[i].integers()[0] = m_startCounts[i];
        return;
    }
    auto place = m_start.begin();
    for (const Tensor& buffer : m_buffers) place = std::ranges::copy(buffer.floats(), place).out;
    for (std::size_t i = 0; i < m_counters.size(); ++i) m_startCounts[i] = m_counters[i].integers()[0];
}

void LeafStatistics::afterForward(const TreeTurn& turn) {
    auto place = m_sum.begin();
    for (const Tensor& buffer : m_buffers) place = std::ranges::copy(buffer.floats(), place).out;
    for (std::size_t level = 0; turn.adds >> level != 0; ++level)
        if ((turn.adds >> level & 1) != 0) addTo(m_sum, m_kept[level]);
    if (turn.keepAt >= 0) m_kept[static_cast<std::size_t>(turn.keepAt)].swap(m_sum);
}

void LeafStatistics::finish(Communicator& dataRanks, std::int64_t leaves) {
    if (dataRanks.size() > 1) dataRanks.allReduce(CommBuffer::of(std::span(m_sum)), ReduceOp::kTreeSum);
    const auto share = static_cast<float>(1.0 / static_cast<double>(leaves));
    for (float& value : m_sum) value *= share;
    write(m_sum);
}

}  // namespace ringside
