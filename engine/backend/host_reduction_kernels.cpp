// SPDX-License-Identifier: Apache-2.0
#include "backend/host_reduction_kernels.h"

#include <cstring>
#include <span>

#include "backend/update_state.h"

namespace ringside {

namespace {

std::span<double> doubles(const Tensor& tensor) {
    return {static_cast<double*>(tensor.data), doublesIn(tensor)};
}

std::int64_t* integers(const Tensor& tensor) {
    return static_cast<std::int64_t*>(tensor.data);
}

}  // namespace

void HostReductionKernels::copyEveryNth(const Tensor& from, std::int64_t first, std::int64_t step, const Tensor& to) {
    const std::int64_t rows = to.rows();
    if (rows == 0) return;
    const std::size_t rowBytes = to.bytes() / static_cast<std::size_t>(rows);
    const auto* source = static_cast<const char*>(from.data);
    auto* target = static_cast<char*>(to.data);
    for (std::int64_t row = 0; row < rows; ++row, target += rowBytes)
        std::memcpy(target, source + static_cast<std::size_t>(first + row * step) * rowBytes, rowBytes);
}

void HostReductionKernels::squaresOfRows(const Tensor& tensor, const Tensor& squares) {
    m_backend.squaresOfRows(tensor, doubles(squares));
}

void HostReductionKernels::squaresOfTensors(const Tensor& rows, const Tensor& ends, const Tensor& squares) {
    const std::span<double> all = doubles(rows);
    std::size_t row = 0;
    for (std::size_t tensor = 0; tensor < doublesIn(squares); ++tensor) {
        double sum = 0;
        for (const auto end = static_cast<std::size_t>(integers(ends)[tensor]); row < end; ++row) sum += all[row];
        doubles(squares)[tensor] = squareOfNorm(sum);
    }
}

void HostReductionKernels::addExactSquares(const Tensor& values, const Tensor& sums) {
    const std::span all(static_cast<const float*>(values.data), static_cast<std::size_t>(values.count()));
    for (const float value : all) addExactSquare(value, integers(sums));
}

void HostReductionKernels::totalOfExactSquares(const Tensor& sums, const Tensor& square) {
    doubles(square).front() = ringside::totalOfExactSquares(integers(sums));
}

void HostReductionKernels::decideUpdate(const Tensor& squares, const UpdateRules& rules, const Tensor& state) {
    double sum = 0;
    for (const double square : doubles(squares)) sum += square;
    ringside::decideUpdate(*static_cast<UpdateState*>(state.data), rules, sum);
}

}  // namespace ringside
