// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/matrix_product.h"

#include <dnnl.h>
#include <omp.h>

#include <atomic>
#include <cstring>
#include <string>

#include "backend/cpu/support/parts.h"
#include "base/errors/errors.h"

namespace ringside::cpu {

namespace {

// Limits for the size of the blocks of rows or columns that are distributed over the threads. A block of fewer than
// kWorthBlock multiplications would be finished before another thread wakes up. Each block packs one of the two input
// matrices again; in a block of kGoodBlock / 2 rows or columns, packing takes as long as the product. If a product has
// fewer than kThreads blocks of kGoodBlock rows or columns, its blocks are made smaller.
constexpr std::size_t kWorthBlock = std::size_t{1} << 22;
constexpr std::size_t kGoodBlock = 512;
constexpr std::size_t kThreads = 8;
// The number of rows or columns of a block is a multiple of this value, because oneDNN's kernels are then efficient.
constexpr std::size_t kBlockUnit = 16;

std::size_t roundedUp(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

// Row-major matrix, which may be used transposed.
struct Matrix {
    const float* data;
    std::size_t stride;  // number of values between the starts of two rows
    bool transposed;

    const float* rowsFrom(std::size_t row) const { return data + (transposed ? row : row * stride); }
    const float* columnsFrom(std::size_t column) const { return data + (transposed ? column * stride : column); }
};

// Calls oneDNN's sgemm: row-major, with kernels that are compiled for this CPU on first use and cached by shape.
dnnl_status_t sgemm(Matrix a, Matrix b, float* c, std::size_t stride, ProductSize p, float beta) {
    const auto size = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
    return dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', size(p.m), size(p.n), size(p.k), 1.0F, a.data,
                      size(a.stride), b.data, size(b.stride), beta, c, size(stride));
}

[[noreturn]] void refuseProduct(const ProductSize& p, dnnl_status_t status) {
    throw DeviceError("oneDNN refused a matrix product of " + std::to_string(p.m) + " x " + std::to_string(p.k) +
                      " by " + std::to_string(p.k) + " x " + std::to_string(p.n) + " (status " +
                      std::to_string(status) + "): lower loader.batch_size or choose a smaller model");
}

// Returns the number of rows of `out` per block (or of columns, if `out` has more columns than rows), at least enough
// for kWorthBlock multiplications.
std::size_t blockOf(std::size_t lines, const ProductSize& p) {
    const std::size_t perLine = std::max<std::size_t>(1, p.m * p.n * p.k / lines);
    return roundedUp(std::max({kWorthBlock / perLine + 1, std::min(kGoodBlock, (lines + kThreads - 1) / kThreads)}),
                     kBlockUnit);
}

void fillRows(const float* row, float* out, std::size_t stride, ProductSize p) {
    for (std::size_t r = 0; r < p.m; ++r) std::memcpy(out + r * stride, row, p.n * sizeof(float));
}

void multiply(Matrix a, Matrix b, const float* row, float* out, ProductSize p, int threads) {
    if (p.m == 0 || p.n == 0) return;
    const bool byRows = p.m >= p.n;
    const std::size_t lines = byRows ? p.m : p.n;
    std::atomic<dnnl_status_t> status = dnnl_success;
    omp_set_num_threads(1);  // limits oneDNN to the calling thread
    forEachPart(threads, lines, blockOf(lines, p), [&](std::size_t first, std::size_t last) {
        const ProductSize part{byRows ? last - first : p.m, byRows ? p.n : last - first, p.k};
        const Matrix left{byRows ? a.rowsFrom(first) : a.data, a.stride, a.transposed};
        const Matrix right{byRows ? b.data : b.columnsFrom(first), b.stride, b.transposed};
        float* to = out + (byRows ? first * p.n : first);
        if (row) fillRows(byRows ? row : row + first, to, p.n, part);
        const dnnl_status_t done = sgemm(left, right, to, p.n, part, row ? 1.0F : 0.0F);
        if (done != dnnl_success) status = done;
    });
    if (status != dnnl_success) refuseProduct(p, status);
}

}  // namespace

void productWithTransposed(const float* a, const float* b, const float* row, float* out, ProductSize size,
                           int threads) {
    multiply({a, size.k, false}, {b, size.k, true}, row, out, size, threads);
}

void productOfTransposed(const float* a, const float* b, float* out, ProductSize size, int threads) {
    multiply({a, size.m, true}, {b, size.n, false}, nullptr, out, size, threads);
}

void product(const float* a, const float* b, float* out, ProductSize size, int threads) {
    multiply({a, size.k, false}, {b, size.n, false}, nullptr, out, size, threads);
}

void sumOfProducts(const float* a, bool transposeA, const float* b, float* out, ProductSize size, bool adds) {
    omp_set_num_threads(1);
    sgemm({a, transposeA ? size.m : size.k, transposeA}, {b, size.n, false}, out, size.n, size, adds ? 1.0F : 0.0F);
}

}  // namespace ringside::cpu
