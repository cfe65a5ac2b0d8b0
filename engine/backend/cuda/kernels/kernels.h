// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "backend/cuda/kernels/attention_kernels.h"
#include "backend/cuda/kernels/column_kernels.h"
#include "backend/cuda/kernels/list_kernels.h"
#include "backend/cuda/kernels/precision.h"
#include "backend/cuda/kernels/row_kernels.h"
#include "backend/cuda/kernels/value_kernels.h"

// Launches of the kernels in value_kernels.h, row_kernels.h, column_kernels.h and attention_kernels.h. Each function
// enqueues on a stream and returns; the caller checks launch errors with cudaGetLastError(). Pointers are device
// memory. kernels.cu instantiates every kernel.
namespace ringside::cuda {

// Calls value(i) for each i in [0, count).
template <class Value>
void eachValue(std::size_t count, const Value& value, cudaStream_t stream);

// Does the work of all entries of a list by one launch. To give an entry the number of blocks that eachValue() uses,
// add it to the list with blocksOf(count) blocks.
template <class Value>
void eachListedValue(const ValueList<Value>& list, cudaStream_t stream);
unsigned blocksOf(std::size_t count);

// Calls row(r, lanes) for each r in [0, rows), by one warp per row.
template <class Row>
void eachRow(std::size_t rows, const Row& row, cudaStream_t stream);

// Calls finish(c, sum of term(r, c) over the rows) for each c in [0, columns). The order of additions depends only on
// the sizes. partial must have room for columnPartials(columns) values.
inline constexpr std::size_t kColumnParts = 64;
constexpr std::size_t columnPartials(std::size_t columns) {
    return kColumnParts * columns;
}
template <class Term, class Finish>
void eachColumn(std::size_t rows, std::size_t columns, const Term& term, const Finish& finish, double* partial,
                cudaStream_t stream);

// Writes kNormBlocks sums of squares of each of `count` tensors to partial, tensor by tensor. The sums are
// bit-identical in every run and do not depend on the other tensors. One launch sums the squares of kListCapacity
// tensors.
inline constexpr int kNormBlocks = 256;
void squaredNormParts(const SummedValues* tensors, std::size_t count, double* partial, cudaStream_t stream);

// Adds the squares of `count` values to the kExactSums sums of exact_squares.h.
void addExactSquares(const float* values, std::size_t count, std::int64_t* sums, cudaStream_t stream);

// Convert to and from 16-bit values. precision: kBfloat16 or kFloat16.
void narrow(const float* from, std::uint16_t* to, std::size_t count, Precision precision, cudaStream_t stream);
void widen(const std::uint16_t* from, float* to, std::size_t count, Precision precision, cudaStream_t stream);

}  // namespace ringside::cuda
