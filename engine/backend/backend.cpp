// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <algorithm>
#include <array>

#include "backend/host_reduction_kernels.h"
#include "backend/update_state.h"

namespace ringside {

std::unique_ptr<ReductionKernels> Backend::makeReductionKernels() {
    return std::make_unique<HostReductionKernels>(*this);
}

void Backend::sgdAll(std::span<const SgdTensors> parameters, const SgdRule& rule, const Tensor& state) {
    for (const SgdTensors& one : parameters) sgd(one.parameter, one.gradient, one.momentum, rule, state);
}

void Backend::adamAll(std::span<const AdamTensors> parameters, const AdamRule& rule, const Tensor& state) {
    for (const AdamTensors& one : parameters)
        adam(one.parameter, one.gradient, one.firstMoment, one.secondMoment, rule, state);
}

void Backend::squaresOfRows(const Tensor& tensor, std::span<double> squares) {
    std::ranges::fill(squares, 0);
    if (!squares.empty()) squares.front() = squaredNorm(tensor);
}

// Adds up the squares in blocks of a fixed number of rows, so that the sums of a block fit into an array on the stack.
double squaredNormByRows(Backend& backend, const Tensor& tensor) {
    constexpr std::int64_t kBlock = 64;
    std::array<double, kBlock> squares{};
    const std::int64_t rows = tensor.shape.dimensions() > 0 ? tensor.rows() : 1;
    const std::int64_t width = rows > 0 ? tensor.count() / rows : 0;
    double sum = 0;
    for (std::int64_t first = 0; first < rows && width > 0; first += kBlock) {
        const std::int64_t count = std::min(kBlock, rows - first);
        const std::span<double> block = std::span(squares).first(static_cast<std::size_t>(count));
        backend.squaresOfRows(
            {static_cast<float*>(tensor.data) + first * width, {count, width}, tensor.type, tensor.device}, block);
        for (const double square : block) sum += square;
    }
    return sum;
}

void decideUpdateWith(Backend& backend, double squaredNorm, const UpdateRules& rules, const Tensor& state) {
    UpdateState now;
    backend.download(state, &now);
    decideUpdate(now, rules, squaredNorm);
    backend.upload(&now, state);
}

}  // namespace ringside
