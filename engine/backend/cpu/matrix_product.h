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

// Threads the products may use, for this thread's later calls.
void useThreads(int count);

}  // namespace ringside::cpu
