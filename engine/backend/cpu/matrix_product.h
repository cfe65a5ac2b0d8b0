// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside::cpu {

// Dense row-major float matrices without padding between rows; out overlaps no input.

// out(m,n) += a(m,k) b(n,k)^T
void addProductWithTransposed(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k);
// out(m,n) = a(k,m)^T b(k,n)
void productOfTransposed(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k);
// out(m,n) = a(m,k) b(k,n)
void product(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k);

// A matrix inside a wider one: rows start `stride` values apart.
struct Strided {
    const float* data;
    std::size_t stride;
};
struct ProductSize {
    std::size_t m, n, k;
};
// out(m,n) = factor * A B, where A is a or, with transA == 'T', a^T, and so B. By one thread: for small products that
// threads share among them.
void stridedProduct(char transA, char transB, ProductSize size, float factor, Strided a, Strided b, float* out,
                    std::size_t stride);

// Threads the products may use, for this thread's later calls.
void useThreads(int count);

}  // namespace ringside::cpu
