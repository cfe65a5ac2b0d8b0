// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/kernels/row_kernels.h"
#include "warp_of_threads.h"

namespace ringside {

inline std::vector<std::uint32_t> bits(std::span<const float> values) {
    std::vector<std::uint32_t> all;
    for (float value : values) all.push_back(std::bit_cast<std::uint32_t>(value));
    return all;
}

// Returns values of both signs and of many magnitudes, the same in every run.
inline std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values.push_back((static_cast<float>(seed >> 8) / 8388608.0F - 1.0F) * 3.0F);
    }
    return values;
}

// Returns the state of updates as a tensor, the form that backends expect.
inline Tensor asTensor(UpdateState& state) {
    return {&state, {sizeof state}, DType::kUInt8, {}};
}

// The CPU backend, against which the GPU's kernels are compared.
struct Cpu {
    std::unique_ptr<Backend> backend = makeCpuBackend(1);
    Tensor tensor(const std::vector<float>& values, const Shape& shape) {
        Tensor made = backend->allocate(shape, DType::kFloat32);
        std::copy(values.begin(), values.end(), made.floats().begin());
        return made;
    }
};

// Run the bodies of the GPU's kernels on the CPU: values one after the other, rows by a warp of threads.
template <class Value>
void runValues(std::size_t count, const Value& value) {
    for (std::size_t i = 0; i < count; ++i) value(i);
}

template <class Row>
void runRows(std::size_t rows, const Row& row) {
    WarpOfThreads().run(rows, row);
}

template <class Term, class Finish>
void runColumns(std::size_t rows, std::size_t columns, const Term& term, const Finish& finish) {
    for (std::size_t c = 0; c < columns; ++c) {
        double sum = 0;
        for (std::size_t r = 0; r < rows; ++r) sum += term(r, c);
        finish(c, sum);
    }
}

}  // namespace ringside
