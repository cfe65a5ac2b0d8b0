// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_results.h"

#include <limits>

#include "backend/backend.h"
#include "backend/update_state.h"

namespace ringside {

namespace {

constexpr double kNoNorm = std::numeric_limits<double>::quiet_NaN();

StepLosses::Sizes lossSizes(const StrategyDependencies& dependencies) {
    const StrategyPlan& plan = dependencies.plan;
    return {.parts = plan.leaves > 0 ? plan.leaves : plan.microBatches,
            .rows = plan.microRows,
            .maxBatch = plan.maxBatch,
            .positions = dependencies.interface.isSequence ? dependencies.interface.sample[0] : 1,
            .countsCorrect = dependencies.loss.countsCorrect()};
}

// Returns the size in bytes of the page-locked memory for the results of a step: losses of all batches, the signal of
// rank 0 (StepAgreement), and either the state of the update or the squared norms of all tensors.
std::size_t slotBytes(const StrategyDependencies& dependencies, std::int64_t batches) {
    constexpr std::size_t kPiece = 64;  // size of the memory for each result is a multiple of this number of bytes
    constexpr std::size_t kStateBytes = 256;
    static_assert(sizeof(UpdateState) <= kStateBytes);
    const std::size_t losses = static_cast<std::size_t>(lossSizes(dependencies).values()) * sizeof(float) + kPiece;
    const std::size_t squares = dependencies.model.wholeParameters().size() * sizeof(double) + kPiece;
    return static_cast<std::size_t>(batches) * losses + kPiece + kStateBytes + squares;
}

}  // namespace

MeshResults::MeshResults(const StrategyDependencies& dependencies, MeshGroups& groups, std::int64_t batches,
                         const LeafBatches* leaves)
    : m_dependencies(dependencies),
      m_groups(groups),
      m_leaves(leaves),
      m_launched(dependencies.backend, slotBytes(dependencies, batches), static_cast<std::size_t>(batches)),
      m_memory(dependencies.backend, m_launched.canRunAhead()),
      m_losses(lossSizes(dependencies), leaves, dependencies.backend, m_memory),
      m_norm(dependencies.model.wholeParameters(), leaves != nullptr, dependencies.backend, m_memory),
      m_squares(static_cast<std::size_t>(m_norm.squareCount())),
      m_signal(m_memory.allocate(1, DType::kFloat32)) {}

SampleLosses MeshResults::fetchLosses(const Batch& batch, bool inLeaves) {
    const StrategyPlan& plan = m_dependencies.plan;
    const bool isPipeline = m_groups.layout().mesh.pipeline > 1;
    const bool isLast = m_groups.layout().pipelineIndex() == plan.rankOfStage.back();
    if (isLast) m_losses.fetch(batch.rows(), inLeaves);
    if (isPipeline) {
        const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
        m_groups.pipelineGroup().broadcast(CommBuffer::of(m_losses.lossesAndCorrect()), plan.rankOfStage.back());
    }
    return m_losses.ofBatch(batch.rows());
}

double MeshResults::fetchNorm(const Tensor& squares, const Optimizer& optimizer) {
    if (!squares || m_groups.allRanks().rank() != 0) return kNoNorm;
    if (optimizer.rules().measuresNorm()) return static_cast<double>(optimizer.progress().norm);
    m_dependencies.backend.download(squares, m_squares.data());
    return MeshNorm::normOf(m_squares);
}

void MeshResults::begin(StepRequest request) {
    m_launched.openStep().request = request;
    const float signal = request.signal ? 1.0F : 0.0F;
    m_dependencies.backend.upload(&signal, m_signal);
}

void MeshResults::keepLosses(const Batch& batch) {
    LaunchedSteps::Step& step = m_launched.openStep();
    step.rows.push_back(batch.rows());
    const Tensor& values = m_losses.values();
    if (m_groups.layout().mesh.pipeline > 1)
        m_groups.pipelineGroup().broadcast({values.data, static_cast<std::size_t>(values.count()), CommType::kFloat32},
                                           m_dependencies.plan.rankOfStage.back());
    step.slot->add(values);
}

void MeshResults::end(const Tensor& squares, const Optimizer& optimizer) {
    LaunchedSteps::Step& step = m_launched.openStep();
    if (m_groups.allRanks().size() > 1) {
        m_groups.allRanks().allReduce({m_signal.data, 1, CommType::kFloat32}, ReduceOp::kMaximum);
        step.slot->add(m_signal);
    }
    step.hasNorm = static_cast<bool>(squares);
    if (step.hasNorm && optimizer.rules().measuresNorm())
        optimizer.storeProgress(*step.slot);
    else if (step.hasNorm)
        step.slot->add(squares);
    m_launched.endLaunch();
}

StepResult MeshResults::read(const Strategy::EarlierLosses& earlier, const Optimizer& optimizer) {
    LaunchedSteps::Step& step = m_launched.finishOldest();
    StepResult result;
    for (std::size_t batch = 0; batch < step.rows.size(); ++batch) {
        result.losses = m_losses.read(step.slot->nextValues<float>(), step.rows[batch], m_leaves != nullptr);
        if (batch + 1 < step.rows.size()) earlier(result.losses);
    }
    result.signal = step.request.signal;
    if (m_groups.allRanks().size() > 1) result.signal = step.slot->nextValues<float>().front() != 0;
    result.gradientNorm = kNoNorm;
    if (!step.hasNorm || m_groups.allRanks().rank() != 0) return result;
    result.gradientNorm = optimizer.rules().measuresNorm()
                              ? static_cast<double>(Optimizer::readProgress(*step.slot).norm)
                              : MeshNorm::normOf(step.slot->nextValues<double>());
    return result;
}

}  // namespace ringside
