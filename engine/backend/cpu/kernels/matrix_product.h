// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside::cpu {

// Products of row-major float matrices without padding between rows. out must not overlap an input. Threads share the
// blocks of a product; the blocks depend only on its size, so that the result is bit-identical for any number of
// threads.

// Sizes of a product of (m,k) by (k,n).
struct ProductSize {
    std::size_t m, n, k;
};

// Computes out(m,n) = a(m,k) b(n,k)^T, plus row(n) on each row.
void productWithTransposed(const float* a, const float* b, const float* row, float* out, ProductSize size, int threads);
// Computes the product of a transposed matrix and a matrix: out(m,n) = a(k,m)^T b(k,n).
void productOfTransposed(const float* a, const float* b, float* out, ProductSize size, int threads);
// Computes the product of two matrices: out(m,n) = a(m,k) b(k,n).
void product(const float* a, const float* b, float* out, ProductSize size, int threads);

// Computes out(m,n) = or, if `adds`, += a(m,k) b(k,n), with a stored as (k,m) if transposeA. Runs on the calling thread
// only: for small products that are distributed over threads.
void sumOfProducts(const float* a, bool transposeA, const float* b, float* out, ProductSize size, bool adds);

}  // namespace ringside::cpu
