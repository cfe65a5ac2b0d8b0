// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <map>
#include <memory>

#include "backend/cuda/device/growing_memory.h"
#include "backend/cuda/kernels/precision.h"

namespace ringside::cuda {

// Matrix products by cuBLASLt on row-major float32 matrices with dense rows. A 16-bit precision rounds both factors.
// The description and algorithm of each shape are found once and stored; no memory is allocated after the first use of
// a shape.
class MatrixProduct {
  public:
    enum class Epilogue { kNone, kBias, kBiasGradient };

    MatrixProduct(const CudaDevice& device, Precision precision);
    ~MatrixProduct();
    MatrixProduct(const MatrixProduct&) = delete;
    MatrixProduct& operator=(const MatrixProduct&) = delete;

    // Computes y(rows,out) = x(rows,in) weight(out,in)^T + bias(out).
    void forward(const float* x, const float* weight, const float* bias, float* y, std::int64_t rows, std::int64_t in,
                 std::int64_t out, cudaStream_t stream);
    // Computes gradWeight(out,in) = gradY(rows,out)^T x(rows,in) and gradBias = column sums of gradY.
    void backwardParameters(const float* x, const float* gradY, float* gradWeight, float* gradBias, std::int64_t rows,
                            std::int64_t in, std::int64_t out, cudaStream_t stream);
    // Computes gradX(rows,in) = gradY(rows,out) weight(out,in).
    void backwardInput(const float* gradY, const float* weight, float* gradX, std::int64_t rows, std::int64_t in,
                       std::int64_t out, cudaStream_t stream);

  private:
    // Product in cuBLAS' column-major terms: D(m,n) = op(A) op(B) over k. In column-major order, a row-major matrix
    // appears as its transpose.
    struct Problem {
        bool transposeA = false;
        bool transposeB = false;
        std::int64_t m = 0;
        std::int64_t n = 0;
        std::int64_t k = 0;
        Epilogue epilogue = Epilogue::kNone;
        auto operator<=>(const Problem&) const = default;  // NOLINT(modernize-use-nullptr): <=> compares with 0
    };
    struct Plan;

    // bias: the bias of this call, or null; cuBLASLt may consider it when it chooses an algorithm.
    Plan& planFor(const Problem& problem, const float* bias);
    std::unique_ptr<Plan> makePlan(const Problem& problem, const float* bias) const;
    // Returns false, without effect, if cuBLASLt has no algorithm with the requested epilogue (an operation that
    // follows the product, such as adding the bias).
    bool multiply(const Problem& problem, const float* a, const float* b, float* d, float* bias, cudaStream_t stream);
    // Returns a factor in the form that the product reads: the values themselves, or a 16-bit copy in scratch memory.
    const void* factor(const float* values, std::int64_t count, GrowingMemory& scratch, cudaStream_t stream);
    void check(cublasStatus_t status, const char* doing) const;

    const CudaDevice& m_device;
    Precision m_precision;
    cublasLtHandle_t m_library = nullptr;
    UniqueDeviceMemory m_workspace;
    GrowingMemory m_narrowA;
    GrowingMemory m_narrowB;
    GrowingMemory m_sums;
    std::map<Problem, std::unique_ptr<Plan>> m_plans;
};

}  // namespace ringside::cuda
