// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/matrix_product.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "backend/cuda/kernels.h"
#include "base/errors.h"

namespace ringside::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = 32U << 20;  // what cuBLAS advises for Hopper
constexpr std::uint32_t kAlignment = 16;            // parameters lie one behind the other in buckets

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

MatrixProduct::MatrixProduct(const CudaDevice& device, bool tf32)
    : m_device(device), m_tf32(tf32), m_workspace(device.allocate(kWorkspaceBytes, "cuBLAS's workspace")) {
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

std::unique_ptr<MatrixProduct::Plan> MatrixProduct::makePlan(const Problem& problem) const {
    auto plan = std::make_unique<Plan>();
    cublasLtMatmulDesc_t description = nullptr;
    const cublasComputeType_t compute = m_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check(cublasLtMatmulDescCreate(&description, compute, CUDA_R_32F), "describing a product");
    plan->description.reset(description);
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
        check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value), "describing a product");
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, problem.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, problem.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, toCublas(problem.epilogue));

    const auto layout = [&](std::int64_t rows, std::int64_t columns, bool transposed) {
        if (transposed) std::swap(rows, columns);
        cublasLtMatrixLayout_t made = nullptr;
        check(cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, static_cast<std::uint64_t>(rows),
                                         static_cast<std::uint64_t>(columns), rows),
              "describing a matrix");
        return UniqueLayout(made);
    };
    plan->a = layout(problem.m, problem.k, problem.transposeA);
    plan->b = layout(problem.k, problem.n, problem.transposeB);
    plan->d = layout(problem.m, problem.n, false);

    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "choosing an algorithm");
    const UniqueHandle<PreferenceTraits> owned(preference);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
        check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
              "choosing an algorithm");
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

MatrixProduct::Plan& MatrixProduct::planFor(const Problem& problem) {
    std::unique_ptr<Plan>& plan = m_plans[problem];
    if (!plan) plan = makePlan(problem);
    return *plan;
}

bool MatrixProduct::multiply(const Problem& problem, const float* a, const float* b, float* d, float* bias,
                             cudaStream_t stream) {
    Plan& plan = planFor(problem);
    if (!plan.possible && problem.epilogue != Epilogue::kNone) return false;
    if (!plan.possible) check(CUBLAS_STATUS_NOT_SUPPORTED, "choosing an algorithm");
    if (bias)
        check(cublasLtMatmulDescSetAttribute(plan.description.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                             sizeof bias),
              "describing a product");
    const float one = 1;
    const float zero = 0;
    check(
        cublasLtMatmul(m_library, plan.description.get(), &one, a, plan.a.get(), b, plan.b.get(), &zero, d,
                       plan.d.get(), d, plan.d.get(), &plan.algorithm, m_workspace.get(), plan.workspaceBytes, stream),
        "multiplying");
    return true;
}

void MatrixProduct::forward(const float* x, const float* weight, const float* bias, float* y, std::int64_t rows,
                            std::int64_t in, std::int64_t out, cudaStream_t stream) {
    Problem problem{true, false, out, rows, in, Epilogue::kBias};
    // The epilogue reads the bias, it does not write it.
    if (multiply(problem, weight, x, y, const_cast<float*>(bias), stream)) return;
    problem.epilogue = Epilogue::kNone;
    multiply(problem, weight, x, y, nullptr, stream);
    addBias(y, bias, static_cast<std::size_t>(rows), static_cast<std::size_t>(out), stream);
}

void MatrixProduct::backwardParameters(const float* x, const float* gradY, float* gradWeight, float* gradBias,
                                       std::int64_t rows, std::int64_t in, std::int64_t out, cudaStream_t stream) {
    Problem problem{false, true, in, out, rows, Epilogue::kBiasGradient};
    if (multiply(problem, x, gradY, gradWeight, gradBias, stream)) return;
    problem.epilogue = Epilogue::kNone;
    multiply(problem, x, gradY, gradWeight, nullptr, stream);
    columnSums(gradY, gradBias, static_cast<std::size_t>(rows), static_cast<std::size_t>(out), stream);
}

void MatrixProduct::backwardInput(const float* gradY, const float* weight, float* gradX, std::int64_t rows,
                                  std::int64_t in, std::int64_t out, cudaStream_t stream) {
    multiply({false, false, in, rows, out, Epilogue::kNone}, weight, gradY, gradX, nullptr, stream);
}

}  // namespace ringside::cuda
