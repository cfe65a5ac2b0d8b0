// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/step_losses.h"

#include <algorithm>

namespace ringside {

StepLosses::StepLosses(const Sizes& sizes, const LeafBatches* leaves, Backend& backend, StepMemory& memory)
    : m_sizes(sizes),
      m_leaves(leaves),
      m_backend(backend),
      m_values(memory.allocate(sizes.values(), DType::kFloat32)),
      m_copy(static_cast<std::size_t>(sizes.values())),
      m_samples(static_cast<std::size_t>(2 * sizes.maxBatch)) {}

void StepLosses::record(const LossRows& rows, int part) {
    const std::int64_t first = part * m_sizes.rows * m_sizes.positions;
    const auto copy = [this](const Tensor& from, std::int64_t place) {
        if (!from) return;
        m_backend.copy(from, {static_cast<float*>(m_values.data) + place, from.shape, from.type, m_values.device});
    };
    copy(rows.loss, first);
    copy(rows.correct, m_sizes.values() / 2 + first);
}

SampleLosses StepLosses::read(std::span<const float> values, std::int64_t rows, bool inLeaves) {
    const auto positions = static_cast<std::size_t>(m_sizes.positions);
    const auto valueOf = [&](std::size_t row) {
        return positions == 1 ? values[row] : meanOfPositions(values.subspan(row * positions, positions));
    };
    for (int part = 0; part < m_sizes.parts; ++part) {
        const std::int64_t first = part * m_sizes.rows;
        const std::int64_t count = inLeaves ? m_leaves->rowsOf(part, rows) : std::min(m_sizes.rows, rows - first);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto sample = static_cast<std::size_t>(inLeaves ? m_leaves->rowOf(part, i) : first + i);
            const auto row = static_cast<std::size_t>(first + i);
            m_samples[sample] = valueOf(row);
            if (m_sizes.countsCorrect)
                m_samples[m_samples.size() / 2 + sample] = valueOf(values.size() / 2 / positions + row);
        }
    }
    return ofBatch(rows);
}

SampleLosses StepLosses::fetch(std::int64_t rows, bool inLeaves) {
    m_backend.download(m_values, m_copy.data());
    return read(m_copy, rows, inLeaves);
}

SampleLosses StepLosses::ofBatch(std::int64_t rows) const {
    const std::span<const float> all(m_samples);
    const auto count = static_cast<std::size_t>(rows);
    return {all.first(count), m_sizes.countsCorrect ? all.subspan(all.size() / 2, count) : std::span<const float>{}};
}

}  // namespace ringside
