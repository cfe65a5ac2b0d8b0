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
void sgemm(char transA, char transB, std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t lda,
           const float* b, std::size_t ldb, float beta, float* c) {
    if (m == 0 || n == 0) return;
    const bool large = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >= kWorthThreads;
    omp_set_num_threads(large ? threadsAllowed : 1);
    const auto size = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
    const dnnl_status_t status =
        dnnl_sgemm(transA, transB, size(m), size(n), size(k), 1.0F, a, size(lda), b, size(ldb), beta, c, size(n));
    if (status != dnnl_success)
        throw DeviceError("oneDNN refused a matrix product of " + std::to_string(m) + " x " + std::to_string(k) +
                          " by " + std::to_string(k) + " x " + std::to_string(n) + " (status " +
                          std::to_string(status) + "): lower loader.batch_size or choose a smaller model");
}

}  // namespace

void addProductWithTransposed(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k) {
    sgemm('N', 'T', m, n, k, a, k, b, k, 1.0F, out);
}

void productOfTransposed(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k) {
    sgemm('T', 'N', m, n, k, a, m, b, n, 0.0F, out);
}

void product(const float* a, const float* b, float* out, std::size_t m, std::size_t n, std::size_t k) {
    sgemm('N', 'N', m, n, k, a, k, b, n, 0.0F, out);
}

void useThreads(int count) {
    threadsAllowed = count;
}

}  // namespace ringside::cpu
