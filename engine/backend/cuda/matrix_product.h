// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <map>
#include <memory>

#include "backend/cuda/device/growing_memory.h"
#include "backend/cuda/kernels/precision.h"

namespace ringside::cuda {

// Matrix products by cuBLASLt on float32 matrices, row-major with dense rows; a narrow precision rounds both factors on
// the way in. Every shape's description and algorithm is found once and kept; nothing is allocated after its first use.
class MatrixProduct {
  public:
    enum class Epilogue { kNone, kBias, kBiasGradient };

    MatrixProduct(const CudaDevice& device, Precision precision);
    ~MatrixProduct();
    MatrixProduct(const MatrixProduct&) = delete;
    MatrixProduct& operator=(const MatrixProduct&) = delete;

    // y(rows,out) = x(rows,in) weight(out,in)^T + bias(out)
    void forward(const float* x, const float* weight, const float* bias, float* y, std::int64_t rows, std::int64_t in,
                 std::int64_t out, cudaStream_t stream);
    // gradWeight(out,in) = gradY(rows,out)^T x(rows,in), gradBias = column sums of gradY
    void backwardParameters(const float* x, const float* gradY, float* gradWeight, float* gradBias, std::int64_t rows,
                            std::int64_t in, std::int64_t out, cudaStream_t stream);
    // gradX(rows,in) = gradY(rows,out) weight(out,in)
    void backwardInput(const float* gradY, const float* weight, float* gradX, std::int64_t rows, std::int64_t in,
                       std::int64_t out, cudaStream_t stream);

  private:
    // cuBLAS counts column-major: D(m,n) = op(A) op(B) over k; a row-major matrix is its transpose there.
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

    // bias: of the call, null without one; cuBLASLt may look at it when it chooses.
    Plan& planFor(const Problem& problem, const float* bias);
    std::unique_ptr<Plan> makePlan(const Problem& problem, const float* bias) const;
    // false: cuBLASLt has no algorithm with this epilogue; nothing was done.
    bool multiply(const Problem& problem, const float* a, const float* b, float* d, float* bias, cudaStream_t stream);
    // A factor as the product takes it: itself, or its narrow copy in scratch.
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
