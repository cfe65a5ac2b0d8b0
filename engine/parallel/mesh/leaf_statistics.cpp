// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/leaf_statistics.h"

#include <algorithm>
#include <utility>

namespace ringside {

LeafStatistics::LeafStatistics(const Model& model, int levels, Backend& backend, StepMemory& memory)
    : m_backend(&backend) {
    std::int64_t values = 0;
    for (const Parameter* one : model.state()) {
        if (std::ranges::find(model.parameters(), one) != model.parameters().end()) continue;
        (one->type == DType::kInt64 ? m_counters : m_buffers).push_back(one->value);
        if (one->type != DType::kInt64) values += one->shape.count();
    }
    if (isEmpty()) return;
    m_start = memory.allocate(values, DType::kFloat32);
    m_startCounts = memory.allocate(static_cast<std::int64_t>(m_counters.size()), DType::kInt64);
    m_sum = memory.allocate(values, DType::kFloat32);
    for (int level = 0; level < levels; ++level) m_kept.push_back(memory.allocate(values, DType::kFloat32));
}

template <class Visit>
void LeafStatistics::forEachPart(const std::vector<Tensor>& buffers, const Tensor& values, const Visit& visit) {
    auto* place = static_cast<std::byte*>(values.data);
    for (const Tensor& buffer : buffers) {
        visit(buffer, Tensor{place, buffer.shape, buffer.type, values.device});
        place += buffer.bytes();
    }
}

void LeafStatistics::readBuffers(const std::vector<Tensor>& buffers, const Tensor& values) {
    forEachPart(buffers, values, [this](const Tensor& buffer, const Tensor& part) { m_backend->copy(buffer, part); });
}

void LeafStatistics::writeBuffers(const std::vector<Tensor>& buffers, const Tensor& values) {
    forEachPart(buffers, values, [this](const Tensor& buffer, const Tensor& part) { m_backend->copy(part, buffer); });
}

void LeafStatistics::beforeForward(int turn) {
    if (isEmpty()) return;
    if (turn == 0) {
        readBuffers(m_buffers, m_start);
        readBuffers(m_counters, m_startCounts);
    } else {
        writeBuffers(m_buffers, m_start);
        writeBuffers(m_counters, m_startCounts);
    }
}

void LeafStatistics::afterForward(const TreeSumStep& sumStep) {
    if (isEmpty()) return;
    readBuffers(m_buffers, m_sum);
    for (std::size_t level = 0; sumStep.adds >> level != 0; ++level)
        if ((sumStep.adds >> level & 1) != 0) m_backend->add(m_kept[level], m_sum);
    if (sumStep.keepAt >= 0) std::swap(m_kept[static_cast<std::size_t>(sumStep.keepAt)], m_sum);
}

void LeafStatistics::averageOverLeaves(Communicator& dataRanks, std::int64_t leaves) {
    const CommBuffer sum{m_sum.data, static_cast<std::size_t>(m_sum.count()), CommType::kFloat32};
    if (dataRanks.size() > 1) dataRanks.allReduce(sum, ReduceOp::kTreeSum);
    m_backend->scale(m_sum, static_cast<float>(1.0 / static_cast<double>(leaves)));
    writeBuffers(m_buffers, m_sum);
}

}  // namespace ringside
