// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matrix_product.h"

#include <dnnl.h>
#include <omp.h>

#include <string>

#include "base/errors.h"

namespace ringside::cpu {

namespace {

// Products of fewer multiplications than this are done before a second thread would have woken up.
constexpr double kWorthThreads = 4e6;

thread_local int threadsAllowed = 1;

// oneDNN's sgemm: row-major, kernels compiled for this CPU when first used and cached by shape.
void sgemm(char transA, char transB, ProductSize p, float alpha, Strided a, Strided b, float beta, float* c,
           std::size_t stride) {
    if (p.m == 0 || p.n == 0) return;
    const auto size = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
    const dnnl_status_t status = dnnl_sgemm(transA, transB, size(p.m), size(p.n), size(p.k), alpha, a.data,
                                            size(a.stride), b.data, size(b.stride), beta, c, size(stride));
    if (status != dnnl_success)
        throw DeviceError("oneDNN refused a matrix product of " + std::to_string(p.m) + " x " + std::to_string(p.k) +
                          " by " + std::to_string(p.k) + " x " + std::to_string(p.n) + " (status " +
                          std::to_string(status) + "): lower loader.batch_size or choose a smaller model");
}

void useThreadsFor(const ProductSize& p) {
    const bool large = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) >= kWorthThreads;
    omp_set_num_threads(large ? threadsAllowed : 1);
}

}  // namespace

void addProductWithTransposed(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k) {
    useThreadsFor({m, n, k});
    sgemm('N', 'T', {m, n, k}, 1.0F, {a, k}, {b, k}, 1.0F, out, n);
}

void productOfTransposed(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k) {
    useThreadsFor({m, n, k});
    sgemm('T', 'N', {m, n, k}, 1.0F, {a, m}, {b, n}, 0.0F, out, n);
}

void product(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k) {
    useThreadsFor({m, n, k});
    sgemm('N', 'N', {m, n, k}, 1.0F, {a, k}, {b, n}, 0.0F, out, n);
}

void stridedProduct(char transA, char transB, ProductSize size, float factor, Strided a, Strided b, float* out,
                    std::size_t stride) {
    omp_set_num_threads(1);
    sgemm(transA, transB, size, factor, a, b, 0.0F, out, stride);
}

void useThreads(int count) {
    threadsAllowed = count;
}

}  // namespace ringside::cpu
