// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "backend/cuda/kernels/attention_kernels.h"
#include "backend/cuda/kernels/column_kernels.h"
#include "backend/cuda/kernels/precision.h"
#include "backend/cuda/kernels/row_kernels.h"
#include "backend/cuda/kernels/value_kernels.h"

// Launches of the kernels in value_, row_, column_ and attention_kernels.h: they enqueue on a stream and return. Launch
// errors are left for cudaGetLastError(). Pointers are device memory. kernels.cu names every kernel there is.
namespace ringside::cuda {

// value(i) for i in [0, count).
template <class Value>
void eachValue(std::size_t count, const Value& value, cudaStream_t stream);

// row(r, lanes) for r in [0, rows), by a warp each.
template <class Row>
void eachRow(std::size_t rows, const Row& row, cudaStream_t stream);

// finish(c, sum of term(r, c) over the rows) for c in [0, columns), added up in an order that depends on the sizes
// alone; partial has room for columnPartials(columns) values.
inline constexpr std::size_t kColumnParts = 64;
constexpr std::size_t columnPartials(std::size_t columns) {
    return kColumnParts * columns;
}
template <class Term, class Finish>
void eachColumn(std::size_t rows, std::size_t columns, const Term& term, const Finish& finish, double* partial,
                cudaStream_t stream);

// partial receives kNormBlocks sums of squares, whose own sum is the same in every run.
inline constexpr int kNormBlocks = 256;
void squaredNormParts(const float* values, std::size_t count, double* partial, cudaStream_t stream);

// kBfloat16 or kFloat16.
void narrow(const float* from, std::uint16_t* to, std::size_t count, Precision precision, cudaStream_t stream);
void widen(const std::uint16_t* from, float* to, std::size_t count, Precision precision, cudaStream_t stream);

}  // namespace ringside::cuda
