// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside::cpu {

// Dense row-major float matrices without padding between rows; out overlaps no input. Threads share the blocks of a
// product, which only its size decides: the result has the same bits with any number of them.

struct ProductSize {
    std::size_t m, n, k;
};

// out(m,n) = a(m,k) b(n,k)^T + row(n) on each row
void productWithTransposed(const float* a, const float* b, const float* row, float* out, ProductSize size, int threads);
// out(m,n) = a(k,m)^T b(k,n)
void productOfTransposed(const float* a, const float* b, float* out, ProductSize size, int threads);
// out(m,n) = a(m,k) b(k,n)
void product(const float* a, const float* b, float* out, ProductSize size, int threads);

// out(m,n) = or, where it adds, += a(m,k) or a(k,m)^T times b(k,n). By the caller's thread alone: for small products
// that threads share among them.
void sumOfProducts(const float* a, bool transposeA, const float* b, float* out, ProductSize size, bool adds);

}  // namespace ringside::cpu
