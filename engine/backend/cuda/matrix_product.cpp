// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/matrix_product.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "backend/cuda/kernels/kernels.h"
#include "base/errors/errors.h"

namespace ringside::cuda {
namespace {

// Size of the workspace that cuBLAS recommends for GPUs of the generation Hopper.
constexpr std::size_t kWorkspaceBytes = 32U << 20;
// Alignment of all matrices, in bytes. No larger alignment is guaranteed, because parameters lie one behind the other
// in buckets.
constexpr std::uint32_t kAlignment = 16;

struct DescriptionTraits {
    using Handle = cublasLtMatmulDesc_t;
    static Handle none() { return nullptr; }
    static void close(Handle description) noexcept { cublasLtMatmulDescDestroy(description); }
};

struct LayoutTraits {
    using Handle = cublasLtMatrixLayout_t;
    static Handle none() { return nullptr; }
    static void close(Handle layout) noexcept { cublasLtMatrixLayoutDestroy(layout); }
};

struct PreferenceTraits {
    using Handle = cublasLtMatmulPreference_t;
    static Handle none() { return nullptr; }
    static void close(Handle preference) noexcept { cublasLtMatmulPreferenceDestroy(preference); }
};

using UniqueLayout = UniqueHandle<LayoutTraits>;

cublasLtEpilogue_t toCublas(MatrixProduct::Epilogue epilogue) {
    switch (epilogue) {
        case MatrixProduct::Epilogue::kBias:
            return CUBLASLT_EPILOGUE_BIAS;
        case MatrixProduct::Epilogue::kBiasGradient:
            return CUBLASLT_EPILOGUE_BGRADB;
        case MatrixProduct::Epilogue::kNone:
            break;
    }
    return CUBLASLT_EPILOGUE_DEFAULT;
}

cudaDataType_t factorType(Precision precision) {
    if (precision == Precision::kBfloat16) return CUDA_R_16BF;
    return precision == Precision::kFloat16 ? CUDA_R_16F : CUDA_R_32F;
}

}  // namespace

struct MatrixProduct::Plan {
    UniqueHandle<DescriptionTraits> description;
    UniqueLayout a;
    UniqueLayout b;
    UniqueLayout d;
    cublasLtMatmulAlgo_t algorithm{};
    std::size_t workspaceBytes = 0;
    bool possible = false;
};

MatrixProduct::MatrixProduct(const CudaDevice& device, Precision precision)
    : m_device(device),
      m_precision(precision),
      m_workspace(device.allocate(kWorkspaceBytes, "cuBLAS's workspace")),
      m_narrowA(device, "a 16-bit copy of a matrix"),
      m_narrowB(device, "a 16-bit copy of a matrix"),
      m_sums(device, "column sums") {
    check(cublasLtCreate(&m_library), "starting");
}

MatrixProduct::~MatrixProduct() {
    m_plans.clear();
    if (m_library) cublasLtDestroy(m_library);
}

void MatrixProduct::check(cublasStatus_t status, const char* doing) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw DeviceError(m_device.name() + ": cuBLAS failed while " + doing + ": " + cublasLtGetStatusString(status));
}

std::unique_ptr<MatrixProduct::Plan> MatrixProduct::makePlan(const Problem& problem, const float* bias) const {
    auto plan = std::make_unique<Plan>();
    cublasLtMatmulDesc_t description = nullptr;
    const cublasComputeType_t compute =
        m_precision == Precision::kTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check(cublasLtMatmulDescCreate(&description, compute, CUDA_R_32F), "describing a matrix product");
    plan->description.reset(description);
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
        check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
              "describing a matrix product");
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, problem.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, problem.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, toCublas(problem.epilogue));
    if (bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);

    const auto layout = [&](cudaDataType_t type, std::int64_t rows, std::int64_t columns, bool transposed) {
        if (transposed) std::swap(rows, columns);
        cublasLtMatrixLayout_t made = nullptr;
        check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                         static_cast<std::uint64_t>(columns), rows),
              "describing a factor or the result of a matrix product");
        return UniqueLayout(made);
    };
    plan->a = layout(factorType(m_precision), problem.m, problem.k, problem.transposeA);
    plan->b = layout(factorType(m_precision), problem.k, problem.n, problem.transposeB);
    plan->d = layout(CUDA_R_32F, problem.m, problem.n, false);

    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "choosing an algorithm for a matrix product");
    const UniqueHandle<PreferenceTraits> owned(preference);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
        check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
              "choosing an algorithm for a matrix product");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        prefer(attribute, kAlignment);
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(m_library, description, plan->a.get(), plan->b.get(), plan->d.get(),
                                       plan->d.get(), preference, 1, &found, &count);
    plan->possible = status == CUBLAS_STATUS_SUCCESS && count > 0;
    plan->algorithm = found.algo;
    plan->workspaceBytes = found.workspaceSize;
    return plan;
}

MatrixProduct::Plan& MatrixProduct::planFor(const Problem& problem, const float* bias) {
    std::unique_ptr<Plan>& plan = m_plans[problem];
    if (!plan) plan = makePlan(problem, bias);
    return *plan;
}

const void* MatrixProduct::factor(const float* values, std::int64_t count, GrowingMemory& scratch,
                                  cudaStream_t stream) {
    if (!isNarrow(m_precision)) return values;
    auto* copy = scratch.atLeast<std::uint16_t>(static_cast<std::size_t>(count));
    narrow(values, copy, static_cast<std::size_t>(count), m_precision, stream);
    return copy;
}

bool MatrixProduct::multiply(const Problem& problem, const float* a, const float* b, float* d, float* bias,
                             cudaStream_t stream) {
    Plan& plan = planFor(problem, bias);
    if (!plan.possible && problem.epilogue != Epilogue::kNone) return false;
    if (!plan.possible) check(CUBLAS_STATUS_NOT_SUPPORTED, "choosing an algorithm for a matrix product");
    if (bias)
        check(cublasLtMatmulDescSetAttribute(plan.description.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                             sizeof bias),
              "describing a matrix product");
    const void* left = factor(a, problem.m * problem.k, m_narrowA, stream);
    const void* right = factor(b, problem.k * problem.n, m_narrowB, stream);
    const float one = 1;
    const float zero = 0;
    check(
        cublasLtMatmul(m_library, plan.description.get(), &one, left, plan.a.get(), right, plan.b.get(), &zero, d,
                       plan.d.get(), d, plan.d.get(), &plan.algorithm, m_workspace.get(), plan.workspaceBytes, stream),
        "multiplying");
    return true;
}

void MatrixProduct::forward(const float* x, const float* weight, const float* bias, float* y, std::int64_t rows,
                            std::int64_t in, std::int64_t out, cudaStream_t stream) {
    Problem problem{true, false, out, rows, in, Epilogue::kBias};
    // Removes const, because cuBLASLt takes a mutable pointer. The bias epilogue only reads the bias.
    if (multiply(problem, weight, x, y, const_cast<float*>(bias), stream)) return;
    problem.epilogue = Epilogue::kNone;
    multiply(problem, weight, x, y, nullptr, stream);
    const auto columns = static_cast<std::size_t>(out);
    eachValue(static_cast<std::size_t>(rows) * columns, BiasedValue{y, bias, columns}, stream);
}

void MatrixProduct::backwardParameters(const float* x, const float* gradY, float* gradWeight, float* gradBias,
                                       std::int64_t rows, std::int64_t in, std::int64_t out, cudaStream_t stream) {
    Problem problem{false, true, in, out, rows, Epilogue::kBiasGradient};
    if (multiply(problem, x, gradY, gradWeight, gradBias, stream)) return;
    problem.epilogue = Epilogue::kNone;
    multiply(problem, x, gradY, gradWeight, nullptr, stream);
    const auto columns = static_cast<std::size_t>(out);
    eachColumn(static_cast<std::size_t>(rows), columns, PlainTerm{gradY, columns}, PlainSum{gradBias},
               m_sums.atLeast<double>(columnPartials(columns)), stream);
}

void MatrixProduct::backwardInput(const float* gradY, const float* weight, float* gradX, std::int64_t rows,
                                  std::int64_t in, std::int64_t out, cudaStream_t stream) {
    multiply({false, false, in, rows, out, Epilogue::kNone}, weight, gradY, gradX, nullptr, stream);
}

}  // namespace ringside::cuda
