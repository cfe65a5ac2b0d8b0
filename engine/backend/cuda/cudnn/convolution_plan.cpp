// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cudnn/convolution_plan.h"

#include <algorithm>
#include <array>

#include "backend/cuda/cudnn/convolution_graph.h"

namespace ringside::cuda {
namespace {

// Properties of the arithmetic of a cuDNN engine (an algorithm), as cuDNN reports them.
class NumericalNotes {
  public:
    explicit NumericalNotes(const CudnnDescriptor& engine)
        : m_notes(engine.values<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                             CUDNN_TYPE_NUMERICAL_NOTE)) {}

    bool contains(cudnnBackendNumericalNote_t note) const {
        return std::find(m_notes.begin(), m_notes.end(), note) != m_notes.end();
    }
    bool usesTensorCores() const { return contains(CUDNN_NUMERICAL_NOTE_TENSOR_CORE); }
    bool isDeterministic() const { return !contains(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC); }
    // True if products are computed from values of fewer bits than float32, or summed in fewer bits.
    bool reducesPrecision() const {
        return usesTensorCores() || contains(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) ||
               contains(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
    }

  private:
    std::vector<cudnnBackendNumericalNote_t> m_notes;
};

std::vector<CudnnDescriptor> configurations(const CudnnTarget& target, const CudnnDescriptor& graph,
                                            cudnnBackendHeurMode_t mode) {
    CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode, 1);
    target.setDeviceOfHeuristics(heuristics);
    if (!heuristics.tryFinalize()) return {};
    return heuristics.descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
}

// Returns cuDNN's execution plan for one engine configuration (an algorithm with its options). Returns nothing if the
// algorithm violates a rule of findConvolutionPlan(), or if cuDNN cannot build the plan.
std::optional<ConvolutionPlan> planOf(const CudnnTarget& target, const CudnnDescriptor& configuration,
                                      Precision precision, std::int64_t workspaceBudget) {
    CudnnDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    configuration.copyTo(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
    const NumericalNotes notes(engine);
    if (!notes.isDeterministic()) return std::nullopt;
    if (precision == Precision::kFloat32 && notes.reducesPrecision()) return std::nullopt;
    CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
    target.setDeviceOfExecutionPlan(plan);
    if (!plan.tryFinalize()) return std::nullopt;
    const std::int64_t workspace = plan.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    if (workspace > workspaceBudget) return std::nullopt;
    return ConvolutionPlan{std::move(plan), workspace, engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX),
                           notes.usesTensorCores()};
}

}  // namespace

std::optional<ConvolutionPlan> findConvolutionPlan(const CudnnTarget& target, const ConvolutionProblem& problem,
                                                   std::int64_t workspaceBudget) {
    const CudnnDescriptor graph = convolutionGraph(target, problem);
    for (const cudnnBackendHeurMode_t mode : std::array{CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
        for (const CudnnDescriptor& configuration : configurations(target, graph, mode)) {
            auto plan = planOf(target, configuration, problem.precision, workspaceBudget);
            if (plan) return plan;
        }
    }
    return std::nullopt;
}

}  // namespace ringside::cuda
