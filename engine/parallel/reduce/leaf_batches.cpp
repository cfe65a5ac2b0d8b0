// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/leaf_batches.h"

#include "config/leaves.h"

namespace ringside {

LeafBatches::LeafBatches(int leaves, std::int64_t maxRows, const ModelInterface& interface, Backend& backend)
    : m_kernels(backend.makeReductionKernels()), m_count(leaves) {
    const MemoryScope scope(backend.memory(), MemoryClass::kBuffers);
    const std::int64_t rows = (maxRows + leaves - 1) / leaves;
    const std::int64_t positions = interface.isSequence ? interface.sample[0] : 1;
    for (int turn = 0; turn < leaves; ++turn)
        m_leaves.push_back({backend.allocate({rows, interface.sample.count()}, DType::kFloat32),
                            backend.allocate({rows, positions}, DType::kInt64),
                            backend.allocate({rows, interface.outputs}, DType::kFloat32)});
    m_batches.resize(static_cast<std::size_t>(leaves));
}

int LeafBatches::leafOf(int turn) const {
    return bitsReversed(turn, m_count);
}

std::int64_t LeafBatches::rowsOf(int turn, std::int64_t rows) const {
    const int leaf = leafOf(turn);
    return leaf >= rows ? 0 : (rows - leaf + m_count - 1) / m_count;
}

Tensor LeafBatches::copyRows(const Tensor& whole, const Tensor& memory, int turn) const {
    if (!whole) return whole;
    const auto rowBytes = static_cast<std::int64_t>(whole.bytes()) / m_rows;
    RINGSIDE_ASSERT(static_cast<std::size_t>(rowBytes * rowsOf(turn)) <= memory.bytes());
    m_kernels->copyEveryNth({whole.data, {m_rows, rowBytes}, DType::kUInt8, whole.device}, rowOf(turn, 0), m_count,
                            {memory.data, {rowsOf(turn), rowBytes}, DType::kUInt8, memory.device});
    return {memory.data, whole.shape.withRows(whole.rows() / m_rows * rowsOf(turn)), whole.type, whole.device};
}

void LeafBatches::copySamples(const Batch& whole) {
    m_rows = whole.rows();
    for (int turn = 0; turn < m_count; ++turn) {
        if (!isFilled(turn)) continue;
        const auto place = static_cast<std::size_t>(turn);
        const Leaf& memory = m_leaves[place];
        m_batches[place] = {copyRows(whole.features, memory.features, turn),
                            copyRows(whole.labels, memory.labels, turn), copyRows(whole.targets, memory.targets, turn)};
    }
}

Batch LeafBatches::batch(int turn) const {
    return m_batches[static_cast<std::size_t>(turn)];
}

}  // namespace ringside
