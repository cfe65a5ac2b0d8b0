// SPDX-License-Identifier: Apache-2.0
#include "parallel/ddp/distributed_data_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "nn/layer/value_hash.h"
#include "parallel/reduce/recorded_collectives.h"

namespace ringside {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Kinds of work in a step; each has its own sequence of enqueued operations. kFirstKept, kLaterKept: first or later
// micro-batch whose gradients are kept for the following ones. kAlone: the only micro-batch of the step. kAfterKept:
// the last of several micro-batches.
enum Part { kFirstKept, kLaterKept, kAlone, kAfterKept };

// Returns the size in bytes of the page-locked memory for the results of one step: the losses of all batches, the
// signal of rank 0 (StepAgreement) and the gradient norm.
std::size_t slotBytes(const Loss& loss, const GradientReducer& reducer, std::int64_t batches) {
    constexpr std::size_t kStateBytes = 256;
    static_assert(sizeof(UpdateState) <= kStateBytes);
    return static_cast<std::size_t>(batches) * loss.slotBytes() + reducer.slotBytes() + kStateBytes;
}

}  // namespace

DistributedDataParallel::DistributedDataParallel(const RunConfig& config, const StrategyDependencies& dependencies,
                                                 std::unique_ptr<Optimizer> optimizer)
    : m_dependencies(dependencies),
      m_reducer(dependencies.model.parameters(), dependencies.communicator, dependencies.backend,
                dependencies.plan.buckets, {.keptLevels = dependencies.plan.keptLevels}),
      m_optimizer(std::move(optimizer)),
      m_gradientReady([this](std::size_t parameter) { m_reducer.ready(parameter); }),
      m_findsUnused(config.parallel.findUnusedParameters),
      m_share(static_cast<float>(1.0 / static_cast<double>(config.training.accumulateSteps))),
      m_seed(config.training.seed),
      m_launched(dependencies.backend, slotBytes(dependencies.loss, m_reducer, config.training.accumulateSteps),
                 static_cast<std::size_t>(config.training.accumulateSteps)),
      m_recorder(dependencies.plan.skipsLayers()
                     ? nullptr
                     : makeStepRecorder(dependencies.backend, dependencies.communicator, dependencies.log)) {
    if (dependencies.plan.skipsLayers())
        dependencies.model.setUnusedCallback([this](std::size_t parameter) { handleUnused(parameter); });
    dependencies.model.watch(dependencies.watch);
    if (dependencies.onLocalGradient) m_reducer.watch(dependencies.onLocalGradient);
    if (config.stepPitfalls.sumGradients) m_reducer.sumInsteadOfMean();
}

// If find_unused_parameters is set, treats the gradient of an unused parameter as zeros. Otherwise does nothing: the
// gradient's bucket never becomes complete, and the step fails, as in PyTorch.
void DistributedDataParallel::handleUnused(std::size_t parameter) {
    if (!m_findsUnused) return;
    m_unusedBytes +=
        m_dependencies.model.parameters()[parameter]->shape.count() * static_cast<std::int64_t>(sizeof(float));
    m_unusedSteps += std::exchange(m_stepOfUnused, m_optimizer->steps()) != m_optimizer->steps() ? 1 : 0;
    if (m_reducer.isInPass()) m_reducer.ready(parameter);
}

void DistributedDataParallel::logUnusedLayers() {
    const std::int64_t steps = m_optimizer->steps();
    if (!m_findsUnused || !m_dependencies.log || steps == 0) return;
    const std::int64_t all = m_dependencies.model.parameterCount() * static_cast<std::int64_t>(sizeof(float)) * steps;
    m_dependencies.log(fmt::format(
        "find_unused_parameters: this rank skipped layers in {} of {} steps; {:.1f} % of the gradient bytes "
        "that it sent were zeros",
        m_unusedSteps, steps,
        100.0 * static_cast<double>(m_unusedBytes) / static_cast<double>(std::max<std::int64_t>(1, all))));
}

void DistributedDataParallel::synchronise() {
    if (m_dependencies.communicator.size() == 1) return;
    for (const Parameter* parameter : m_dependencies.model.state()) broadcastFromRank0(*parameter);
}

void DistributedDataParallel::broadcastFromRank0(const Parameter& from0) {
    const Tensor& value = from0.value;
    const CommType type = value.type == DType::kInt64 ? CommType::kInt64 : CommType::kFloat32;
    m_dependencies.communicator.broadcast({value.data, static_cast<std::size_t>(value.count()), type}, 0);
}

// Replaces the buffers, such as batch norm's running statistics, by those of rank 0. PyTorch's DDP does this before
// each forward pass (broadcast_buffers). Once before an evaluation is sufficient, because training passes write the
// buffers but do not use their values.
void DistributedDataParallel::beginEvaluation() {
    logUnusedLayers();
    if (m_dependencies.communicator.size() == 1) return;
    for (const Parameter* buffer : m_dependencies.model.state())
        if (!buffer->gradient) broadcastFromRank0(*buffer);
}

// Training cannot pause inside a CUDA graph: if steps are recorded as graphs, onPhaseEnd is never called.
void DistributedDataParallel::onPhaseEnd(Phase phase) {
    if (!m_recorder) m_dependencies.onPhaseEnd(phase);
}

void DistributedDataParallel::beginPass() {
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    m_dependencies.model.begin({.training = true,
                                .key = hashOf({number(m_seed), number(m_dependencies.communicator.rank()),
                                               number(m_optimizer->steps()), number(m_microBatches)})});
}

// Computes (loss / accumulate_steps).backward(). The division, like the loss scale, is applied to the loss' gradient.
void DistributedDataParallel::runPasses(const Batch& batch, const Model::GradientReady& ready) {
    {
        const PhaseScope scope(m_dependencies.phase, Phase::kForward);
        m_dependencies.loss.compute(m_dependencies.model.forward(batch.features), batch, true);
    }
    onPhaseEnd(Phase::kForward);
    const PhaseScope scope(m_dependencies.phase, Phase::kBackward);
    m_optimizer->scaleLoss(m_dependencies.loss.gradient(), m_share);
    m_dependencies.model.backward(m_dependencies.loss.gradient(), ready);
}

// std::ref passes `work` by reference: a copy would allocate memory in each step.
template <class Work>
void DistributedDataParallel::enqueue(const Batch& batch, int part, const Work& work) {
    if (!m_recorder) return work();
    const PhaseScope scope(m_dependencies.phase, Phase::kForward);
    m_recorder->run({batch.features.data, batch.rows(), part}, std::ref(work));
}

SampleLosses DistributedDataParallel::accumulate(const Batch& batch) {
    beginPass();
    const bool first = m_microBatches == 0;
    enqueue(batch, first ? kFirstKept : kLaterKept, [&] {
        runPasses(batch, [](std::size_t) {});
        m_reducer.keepGradients(first);
    });
    ++m_microBatches;
    if (!canRunAhead()) return m_dependencies.loss.fetch(batch);
    keepLosses(batch);
    return {};
}

void DistributedDataParallel::keepLosses(const Batch& batch) {
    LaunchedSteps::Step& step = m_launched.openStep();
    step.rows.push_back(batch.rows());
    m_dependencies.loss.store(batch, *step.slot);
}

void DistributedDataParallel::enqueueStepWork(const Batch& batch) {
    m_reducer.beginPass(m_microBatches > 0 ? 1 : 0);
    runPasses(batch, m_gradientReady);
    onPhaseEnd(Phase::kBackward);
    {
        const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
        m_reducer.finishPass();
    }
    onPhaseEnd(Phase::kMoving);
    const PhaseScope scope(m_dependencies.phase, Phase::kOptimizer);
    m_optimizer->update();
}

// Enqueues the whole step before the first result is fetched, so that the device never waits for the host within the
// step.
StepResult DistributedDataParallel::step(const Batch& batch, StepRequest request) {
    if (canRunAhead()) {
        launch(batch, request);
        return results([](const SampleLosses&) {});
    }
    StepResult result;
    m_reducer.begin(request.signal);
    beginPass();
    enqueue(batch, m_microBatches > 0 ? kAfterKept : kAlone, [&] { enqueueStepWork(batch); });
    m_optimizer->count();
    {
        // With a CUDA graph, the host waits here until the whole step is done, including the collectives with the other
        // ranks. This time counts as waiting.
        const PhaseScope scope(m_dependencies.phase, m_recorder ? Phase::kWaiting : Phase::kOptimizer);
        result.signal = m_reducer.end();
    }
    const PhaseScope scope(m_dependencies.phase, Phase::kOptimizer);
    result.gradientNorm = reportedNorm(request.gradientNorm);
    m_microBatches = 0;
    result.losses = m_dependencies.loss.fetch(batch);
    return result;
}

void DistributedDataParallel::launch(const Batch& batch, StepRequest request) {
    LaunchedSteps::Step& step = m_launched.openStep();
    step.request = request;
    step.hasNorm = reportsNorm(request);
    m_reducer.begin(request.signal);
    beginPass();
    enqueue(batch, m_microBatches > 0 ? kAfterKept : kAlone, [&] { enqueueStepWork(batch); });
    m_optimizer->count();
    m_microBatches = 0;
    const PhaseScope scope(m_dependencies.phase, Phase::kOptimizer);
    keepLosses(batch);
    m_reducer.storeSignal(*step.slot);
    if (step.hasNorm) {
        if (m_optimizer->rules().measuresNorm())
            m_optimizer->storeProgress(*step.slot);
        else
            m_reducer.storeNorm(*step.slot);
    }
    m_launched.endLaunch();
}

StepResult DistributedDataParallel::results(const EarlierLosses& earlier) {
    const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
    const LaunchedSteps::Step& step = m_launched.finishOldest();
    StepResult result;
    for (std::size_t batch = 0; batch < step.rows.size(); ++batch) {
        result.losses = m_dependencies.loss.read(*step.slot);
        if (batch + 1 < step.rows.size()) earlier(result.losses);
    }
    result.signal = m_reducer.readSignal(*step.slot, step.request.signal);
    result.gradientNorm = kNone;
    if (step.hasNorm)
        result.gradientNorm = m_optimizer->rules().measuresNorm()
                                  ? static_cast<double>(Optimizer::readProgress(*step.slot).norm)
                                  : m_reducer.readNorm(*step.slot);
    return result;
}

bool DistributedDataParallel::reportsNorm(StepRequest request) const {
    return request.gradientNorm && m_dependencies.communicator.rank() == 0;
}

// Returns the norm of the averaged gradient on rank 0, and NaN on other ranks. If the optimizer's update has computed
// the norm, returns that value. Otherwise computes the norm and waits for the device. Called at the end of the step;
// the update does not change the gradients.
double DistributedDataParallel::reportedNorm(bool wanted) {
    if (!wanted || m_dependencies.communicator.rank() != 0) return kNone;
    if (m_optimizer->rules().measuresNorm()) return static_cast<double>(m_optimizer->progress().norm);
    return m_reducer.gradientNorm();
}

SampleLosses DistributedDataParallel::evaluate(const Batch& batch) {
    m_dependencies.model.begin({.training = false});
    return m_dependencies.loss.evaluate(m_dependencies.model.forward(batch.features), batch, false);
}

}  // namespace ringside
