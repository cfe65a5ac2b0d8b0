// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/row_squares.h"

#include "base/errors/errors.h"

namespace ringside {

RowSquares::RowSquares(const std::vector<Parameter*>& parameters, Backend& backend, StepMemory& memory)
    : m_backend(backend) {
    std::int64_t rows = 0;
    std::vector<std::int64_t> ends;
    for (const Parameter* one : parameters) {
        const EntryRange range{rows, one->shape.dimensions() > 0 ? one->shape[0] : 1};
        m_rangeOf.emplace(one->name, range);
        rows += range.count;
        ends.push_back(rows);
    }
    const auto tensors = static_cast<std::int64_t>(parameters.size());
    m_rows = memory.allocateDoubles(rows);
    m_ends = memory.allocate(tensors, DType::kInt64);
    m_squares = memory.allocateDoubles(tensors);
    if (tensors > 0) backend.upload(ends.data(), m_ends);
}

// Sets all entries of m_rows, which are doubles, to 0. fill() writes them as pairs of floats, because zero has all bits
// 0 in both types.
void RowSquares::clear() {
    const auto floats = static_cast<std::int64_t>(m_rows.bytes() / sizeof(float));
    m_backend.fill({m_rows.data, {floats}, DType::kFloat32, m_rows.device}, 0);
}

Tensor RowSquares::squaresOfRows(const std::string& parameter, std::int64_t first, std::int64_t count) const {
    const EntryRange& range = m_rangeOf.at(parameter);
    RINGSIDE_ASSERT(first + count <= range.count);
    return doublesAt(static_cast<double*>(m_rows.data) + range.first + first, count, m_rows.device);
}

Tensor RowSquares::squaredNorms(Communicator& ranks, ReductionKernels& kernels) {
    if (ranks.size() > 1) ranks.allReduce({m_rows.data, doublesIn(m_rows), CommType::kFloat64}, ReduceOp::kSum);
    kernels.squaresOfTensors(m_rows, m_ends, m_squares);
    return m_squares;
}

}  // namespace ringside
