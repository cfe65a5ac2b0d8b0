// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_strategy.h"

#include <algorithm>

#include "backend/backend.h"
#include "nn/layer/value_hash.h"
#include "parallel/parameters/sharded_parameters.h"
#include "parallel/parameters/whole_parameters.h"
#include "parallel/reduce/recorded_collectives.h"
#include "parallel/strategy/batch_rows.h"
#include "plan/stage_plan.h"
#include "schedule/schedule_simulation.h"

namespace ringside {

namespace {

// Returns the reason why gradients cannot be added in one fixed order, which training.reduction canonical requires;
// empty if they can.
std::string whyNotCanonical(const StrategyDependencies& dependencies) {
    if (choiceNamed<CollectiveBackend>(dependencies.communicator.name()) == CollectiveBackend::kMpi)
        return "the backend mpi adds gradients in its own order";
    return {};
}

// If the model has batch norm and its statistics are computed over each micro-batch instead of the whole batch, logs a
// note.
void logStatistics(const StrategyDependencies& dependencies, std::int64_t batchSize) {
    const StrategyPlan& plan = dependencies.plan;
    const bool splits = plan.microBatches > 1 && plan.leaves == 0;
    if (!splits || !plan.hasBatchNorm() || dependencies.communicator.rank() != 0 || !dependencies.log) return;
    dependencies.log("Batch norm computes its statistics over micro-batches of " + std::to_string(plan.microRows) +
                     " samples, as with gradient accumulation: the losses differ from those of whole batches of " +
                     std::to_string(batchSize) + " samples");
}

// True if the steps can be recorded as CUDA graphs. With dropout, each micro-batch must have its own slot (memory of
// one micro-batch in flight), because the keys of the random masks are uploaded to the slots before the recorded work
// starts. With training.reduction canonical, steps cannot be recorded, because each tree sum consists of several NCCL
// calls that the host issues.
bool canRecord(const RunConfig& config, const StrategyDependencies& dependencies, MeshStages& stages) {
    const StrategyPlan& plan = dependencies.plan;
    const auto hasSlots = [&plan](PipelineStage& stage) {
        return static_cast<std::int64_t>(stage.allSlots().size()) >= plan.microBatches;
    };
    return config.training.accumulateSteps == 1 && plan.leaves == 0 && !plan.skipsLayers() &&
           (!plan.hasDropout() || std::ranges::all_of(stages.allStages(), hasSlots));
}

bool isTraced(const CollectiveTrace* trace) {
    return trace != nullptr && trace->active();
}

// True if the gradient norm is measured in the next step, which requires a collective over all ranks. If the update
// needs the norm, it is measured in each step, otherwise in every 16th step (kStepsBetweenNorms).
bool measuresNorm(const Optimizer& optimizer) {
    constexpr std::int64_t kStepsBetweenNorms = 16;
    return optimizer.rules().measuresNorm() || optimizer.steps() % kStepsBetweenNorms == 0;
}

// Returns two fractions: this rank's share of the computing cost of all layers, and of the number of parameters.
PlannedShares sharesOf(MeshStages& stages, const StrategyDependencies& dependencies) {
    const StrategyPlan& plan = dependencies.plan;
    double all = 0, own = 0, parameters = 0, ownParameters = 0;
    for (std::size_t stage = 0; stage < plan.stages(); ++stage)
        for (std::size_t i = plan.layersOf(stage).first; i < plan.layersOf(stage).last; ++i) {
            all += plan.layers[i].cost;
            own += stages.containsStage(stage) ? plan.layers[i].cost : 0;
        }
    for (const Parameter* one : dependencies.model.wholeParameters())
        parameters += static_cast<double>(one->shape.count());
    for (const Parameter* one : stages.trainedParameters()) ownParameters += static_cast<double>(one->shape.count());
    PlannedShares planned;
    if (all > 0) planned.compute = std::min(1.0, own / all);
    if (parameters > 0) planned.update = std::min(1.0, ownParameters / parameters);
    return planned;
}

// Logs how many bytes fsdp.cpu_offload keeps in host memory: shards, their gradients and optimizer state. On a CPU,
// host memory is also the device memory; the number is what offloading would save on a GPU.
void logOffload(MeshStages& stages, const WholeTensors& wholeTensors, const StrategyDependencies& dependencies) {
    if (!dependencies.log) return;
    std::int64_t bytes = 0;
    for (const Parameter* one : stages.updatedParameters())
        bytes += one->shape.count() * static_cast<std::int64_t>(sizeof(float)) *
                 static_cast<std::int64_t>(2 + wholeTensors.optimizerTensorNames().size());
    dependencies.log("fsdp.cpu_offload: " + std::to_string(bytes) +
                     " bytes of shards, their gradients and the optimizer state are in host memory, which is also the "
                     "device memory on a CPU");
}

}  // namespace

Result<std::unique_ptr<Strategy>> MeshStrategy::make(const RunConfig& config,
                                                     const StrategyDependencies& dependencies) {
    if (config.fsdp.cpuOffload && dependencies.backend.device().kind != Device::Kind::kCpu)
        return Problem{"fsdp.cpu_offload", "is true, which is supported only on CPUs for now", "set it to false"};
    if (dependencies.plan.leaves > 0)
        if (const std::string why = whyNotCanonical(dependencies); !why.empty())
            return Problem{"training.reduction", "is canonical, which adds gradients in one fixed order, but " + why,
                           "set parallel.backend to gloo, or training.reduction to rank"};
    std::unique_ptr<MeshStrategy> strategy(new MeshStrategy(config, dependencies));
    auto optimizer = makeOptimizer(config.optimizer, strategy->m_stages.updatedParameters(), dependencies.backend,
                                   config.training.precision == TrainingPrecision::kFp16);
    if (!optimizer) return optimizer.problem();
    strategy->m_optimizer = std::move(optimizer).value();
    strategy->m_wholeTensors = std::make_unique<WholeTensors>(
        WholeTensors::Dependencies{config.optimizer, dependencies.model, dependencies.backend, strategy->m_groups,
                                   strategy->m_stages, *strategy->m_optimizer});
    if (config.fsdp.cpuOffload) logOffload(strategy->m_stages, *strategy->m_wholeTensors, dependencies);
    logStatistics(dependencies, config.loader.batchSize);
    return std::unique_ptr<Strategy>(std::move(strategy));
}

MeshStrategy::MeshStrategy(const RunConfig& config, const StrategyDependencies& dependencies)
    : m_config(config),
      m_dependencies(dependencies),
      m_plan(dependencies.plan),
      m_groups(dependencies.communicator, RankLayout{m_plan.mesh, dependencies.communicator.rank()},
               m_plan.rankOfStage),
      m_length(simulate(m_plan.schedule, {}).makespan),
      m_messages(m_dependencies, m_groups, m_stages),
      m_share(static_cast<float>(1.0 / static_cast<double>(config.training.accumulateSteps * m_plan.microBatches))),
      m_leaves(m_plan.leaves > 0 ? std::make_unique<LeafBatches>(static_cast<int>(m_plan.leaves), m_plan.maxBatch,
                                                                 dependencies.interface, dependencies.backend)
                                 : nullptr),
      m_results(m_dependencies, m_groups, config.training.accumulateSteps, m_leaves.get()) {
    addStages();
    for (PipelineStage& stage : m_stages.allStages()) {
        stage.setStore(makeStore(stage));
        stage.store().initialise(config.training.seed);
    }
    m_stages.watchGradients(dependencies.onLocalGradient);
    for (PipelineStage& stage : m_stages.allStages())
        if (m_leaves)
            m_statistics.emplace_back(stage.model(), m_plan.keptLevels, dependencies.backend, m_results.memory());
    m_planned = sharesOf(m_stages, m_dependencies);
    if (canRecord(config, m_dependencies, m_stages))
        m_recorder = makeStepRecorder(m_dependencies.backend, m_dependencies.communicator, m_dependencies.log);
}

void MeshStrategy::addStages() {
    const int own = m_groups.layout().pipelineIndex();
    const auto& actions = m_plan.schedule.ranks[static_cast<std::size_t>(own)];
    for (const std::size_t number : m_plan.stagesOf(own)) {
        const StageLayers layers = m_plan.layersOf(number);
        PipelineStage& stage =
            m_stages.add({.config = m_config,
                          .plan = m_plan,
                          .backend = m_dependencies.backend,
                          .range = {layers.first, layers.last},
                          .number = number,
                          .microBatches = maxInFlight(actions, static_cast<int>(number)),
                          .classes = m_dependencies.loss.countsCorrect() ? m_dependencies.interface.outputs : 0,
                          .targets = m_dependencies.interface.outputs,
                          .positions = m_dependencies.interface.isSequence ? m_dependencies.interface.sample[0] : 1,
                          .isLast = number + 1 == m_plan.stages()});
        for (Model* model : stage.models()) model->watch(m_dependencies.watch);
    }
}

std::unique_ptr<ParameterStore> MeshStrategy::makeStore(PipelineStage& stage) {
    const bool inTree = m_plan.leaves > 0;
    if (m_plan.mesh.shard == 1)
        return std::make_unique<WholeParameters>(stage.models(), m_groups.dataParallelGroup(), m_dependencies.backend,
                                                 m_plan.buckets,
                                                 ReducerOptions{.keptLevels = m_plan.keptLevels, .inTree = inTree});
    const ShardingOptions options{.freesParameters = m_plan.sharding.freesParameters,
                                  .keepsGradients = m_plan.sharding.keepsGradients,
                                  .prefetches = m_plan.sharding.prefetches,
                                  .keptLevels = m_plan.keptLevels,
                                  .inTree = inTree};
    return std::make_unique<ShardedParameters>(stage.models(), stage.units(), m_groups.shardGroup(),
                                               m_groups.dataParallelGroup(), m_dependencies.backend, options);
}

int MeshStrategy::partCount(const Batch& batch) const {
    return static_cast<int>((batch.rows() + m_plan.microRows - 1) / m_plan.microRows);
}

Batch MeshStrategy::microBatchOf(const Batch& batch, int microBatch) const {
    const std::int64_t first = microBatch * m_plan.microRows;
    const std::int64_t count = std::min(m_plan.microRows, batch.rows() - first);
    return rowsFrom(batch, first, count);
}

// Begins a pass with a key for dropout's random masks. With training.reduction canonical, the key depends on the leaf
// (group of samples), not on the rank that processes it. Otherwise, it equals the key that DDP uses on a rank that
// accumulates the same micro-batches.
void MeshStrategy::beginSlot(PipelineStage::Slot& slot, int microBatch, bool training) {
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const RankLayout& layout = m_groups.layout();
    std::int64_t reader = layout.dataRank();
    std::int64_t pass = m_passes + microBatch;
    if (m_leaves && training) {
        reader += m_leaves->leafOf(microBatch) * layout.dataRankCount();
        pass = 0;
    }
    slot.model->begin(
        {.training = training,
         .key = hashOf({number(m_config.training.seed), number(reader), number(m_optimizer->steps()), number(pass)})});
}

// Repeats the pipeline schedule until all leaves (groups of samples whose gradients are added first) have been
// processed. All stages process the leaves in the same order.
void MeshStrategy::runLeaves(const Batch& batch) {
    m_leaves->copySamples(batch);
    const auto& actions = m_plan.schedule.ranks[static_cast<std::size_t>(m_groups.layout().pipelineIndex())];
    const int atOnce = static_cast<int>(m_plan.microBatches);
    for (int first = 0; first < m_leaves->turnCount(); first += atOnce) {
        for (PipelineAction action : actions) {
            action.microBatch += first;
            if (m_leaves->isFilled(action.microBatch)) runAction(action, batch);
        }
    }
}

PassPosition MeshStrategy::positionOf(const PipelineAction& action) const {
    const bool inHalves = action.work != PipelineWork::kBackward;
    if (m_leaves) return {treeSumStep(action.microBatch, m_leaves->turnCount(), m_leaves->filledLeaves()), inHalves};
    const bool isFirst = m_passes + action.microBatch == 0;
    const bool isLast = m_lastBatch && action.microBatch == m_lastMicroBatch;
    return {{isFirst ? 0U : 1U, isLast ? -1 : 0}, inHalves};
}

// Returns the factor by which the gradient of a micro-batch's mean loss is multiplied. With training.reduction
// canonical, a micro-batch is one leaf (a group of samples whose gradients are added first), and the factor is the
// leaf's share of the samples of the global batch.
float MeshStrategy::lossShareOf(int microBatch) const {
    if (!m_leaves) return m_share;
    std::int64_t rows = 0;
    for (int turn = 0; turn < m_leaves->turnCount(); ++turn) rows += m_leaves->rowsOf(turn);
    return static_cast<float>(static_cast<double>(m_leaves->rowsOf(microBatch)) /
                              static_cast<double>(rows * m_groups.layout().dataRankCount()));
}

Batch MeshStrategy::trainingPart(const Batch& batch, int microBatch) const {
    return m_leaves ? m_leaves->batch(microBatch) : microBatchOf(batch, microBatch);
}

SampleLosses MeshStrategy::accumulate(const Batch& batch) {
    runSchedule(batch, false);
    m_passes += partCount(batch);
    m_messages.setEarlierMicroBatches(m_passes);
    if (!canRunAhead()) return m_results.fetchLosses(batch, false);
    m_results.keepLosses(batch);
    return {};
}

StepResult MeshStrategy::step(const Batch& batch, StepRequest request) {
    if (canRunAhead()) {
        launch(batch, request);
        return results([](const SampleLosses&) {});
    }
    const Tensor squares = trainLastBatch(batch);
    StepResult result;
    result.gradientNorm = m_results.fetchNorm(squares, *m_optimizer);
    result.losses = m_results.fetchLosses(batch, m_leaves != nullptr);
    return result;
}

// Trains the last batch of a step and updates the parameters. Returns the result of MeshNorm::squared(), or an empty
// tensor if the norm is not measured.
Tensor MeshStrategy::trainLastBatch(const Batch& batch) {
    const bool withNorm = measuresNorm(*m_optimizer);
    const Tensor squares = m_recorder && !isTraced(m_dependencies.trace) ? trainRecorded(batch, withNorm)
                                                                         : trainAndUpdate(batch, withNorm);
    m_optimizer->count();
    m_passes = 0;
    m_messages.setEarlierMicroBatches(0);
    return squares;
}

// Enqueues the work of a step from the first forward pass to the update. These operations are the same in each step.
Tensor MeshStrategy::trainAndUpdate(const Batch& batch, bool measuresNorm) {
    runSchedule(batch, true);
    if (!m_recorder) m_dependencies.onPhaseEnd(Phase::kBackward);
    {
        const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
        for (PipelineStage& stage : m_stages.allStages()) stage.store().finish();
    }
    if (!m_recorder) m_dependencies.onPhaseEnd(Phase::kMoving);
    return updateParameters(measuresNorm);
}

// Launches the step's CUDA graph. Without a graph, enqueues the work directly; a second step of the same kind is
// recorded. With dropout, each micro-batch has its own slot (memory of one micro-batch in flight), so that a graph
// always uses the same slot for a micro-batch.
Tensor MeshStrategy::trainRecorded(const Batch& batch, bool measuresNorm) {
    const PhaseScope scope(m_dependencies.phase, Phase::kForward);
    m_stages.finishTransfers();
    for (PipelineStage& stage : m_stages.allStages()) {
        int microBatch = 0;
        for (PipelineStage::Slot& slot : stage.allSlots()) beginSlot(slot, microBatch++, true);
    }
    const auto work = [&] {
        try {
            m_recordedSquares = trainAndUpdate(batch, measuresNorm);
            m_stages.finishTransfers();
        } catch (...) {  // the recorder repeats this work without a graph if it cannot be recorded
            m_stages.abandonStep();
            throw;
        }
    };
    m_hasBegun = true;
    const void* const input = batch.features ? batch.features.data : batch.labels.data;
    m_recorder->run({input, batch.rows(), measuresNorm ? 1 : 0}, work);
    m_hasBegun = false;
    return measuresNorm ? m_recordedSquares : Tensor{};
}

void MeshStrategy::launch(const Batch& batch, StepRequest request) {
    m_results.begin(request);
    const Tensor squares = trainLastBatch(batch);
    const PhaseScope scope(m_dependencies.phase, Phase::kOptimizer);
    m_results.keepLosses(batch);
    m_results.end(squares, *m_optimizer);
}

StepResult MeshStrategy::results(const EarlierLosses& earlier) {
    const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
    return m_results.read(earlier, *m_optimizer);
}

void MeshStrategy::runSchedule(const Batch& batch, bool isLast) {
    if (m_leaves) return runLeaves(batch);
    m_lastBatch = isLast;
    const int dependencies = partCount(batch);
    m_lastMicroBatch = dependencies - 1;
    for (const PipelineAction& action :
         m_plan.schedule.ranks[static_cast<std::size_t>(m_groups.layout().pipelineIndex())])
        if (action.microBatch < dependencies) runAction(action, batch);
}

void MeshStrategy::runAction(const PipelineAction& action, const Batch& batch) {
    PipelineStage& stage = *m_stages.findStage(static_cast<std::size_t>(action.stage));
    if (action.work == PipelineWork::kForward) return forward(stage, action.microBatch, batch);
    backward(stage, action, batch);
}

void MeshStrategy::reportAction(const PipelineAction& action) const {
    if (m_recorder && !isTraced(m_dependencies.trace)) return;
    if (m_dependencies.onAction && m_plan.schedule.rankCount() > 1)
        m_dependencies.onAction(action, ActionTimes{}.timeOf(action.work) / m_length);
}

void MeshStrategy::forward(PipelineStage& stage, int microBatch, const Batch& whole) {
    PipelineStage::Slot& slot = stage.takeSlot(microBatch);
    const Batch batch = trainingPart(whole, microBatch);
    const Tensor x = m_messages.inputOf(stage, slot, batch);
    reportAction({static_cast<int>(stage.number()), PipelineWork::kForward, microBatch});
    const PhaseScope scope(m_dependencies.phase, Phase::kForward);
    if (!m_hasBegun) beginSlot(slot, microBatch, true);
    LeafStatistics* const statistics = m_leaves ? &m_statistics[m_stages.indexOf(stage.number())] : nullptr;
    if (statistics) statistics->beforeForward(microBatch);
    stage.store().beginForward();
    slot.y = slot.model->forward(x);
    stage.store().endForward();
    if (statistics) statistics->afterForward(treeSumStep(microBatch, m_leaves->turnCount(), m_leaves->filledLeaves()));
    if (!stage.isLast()) return m_messages.sendOutput(stage, slot);
    slot.loss->compute(slot.y, batch, true);
    m_results.losses().record(slot.loss->rows(batch), microBatch);
}

void MeshStrategy::backward(PipelineStage& stage, const PipelineAction& action, const Batch&) {
    PipelineStage::Slot& slot = stage.slotOf(action.microBatch);
    const bool isWeights = action.work == PipelineWork::kWeights;
    Tensor gradient;
    if (!isWeights && stage.isLast()) {
        gradient = slot.loss->gradient();
        m_optimizer->scaleLoss(gradient, lossShareOf(slot.microBatch));
    } else if (!isWeights) {
        gradient = m_messages.gradientFor(stage, slot);
    }
    reportAction(action);
    const PhaseScope scope(m_dependencies.phase, Phase::kBackward);
    ParameterStore& store = stage.store();
    const bool inHalves = action.work != PipelineWork::kBackward;
    store.beginBackward(positionOf(action));
    const auto ready = [&store](std::size_t parameter) { store.ready(parameter); };
    if (isWeights) {
        slot.model->backwardWeights(ready);
    } else if (inHalves) {
        slot.gradX = slot.model->backwardInputs(gradient, ready);
    } else {
        slot.gradX = slot.model->backward(gradient, ready);
    }
    store.endBackward(!inHalves || isWeights || stage.store().ownsDistinctPart());
    if (!isWeights) m_messages.sendGradient(stage, slot);
    if (!inHalves || isWeights) stage.releaseSlot(slot);
}

// Updates the parameters. Returns the result of MeshNorm::squared() if the norm is measured, or an empty tensor.
Tensor MeshStrategy::updateParameters(bool measuresNorm) {
    const PhaseScope scope(m_dependencies.phase, Phase::kOptimizer);
    Tensor squares;
    if (measuresNorm) squares = m_results.norm().squared(m_stages.allStages(), m_groups);
    if (m_optimizer->rules().measuresNorm())
        m_optimizer->updateFrom(squares, m_results.norm().kernels());
    else
        m_optimizer->update();
    for (LeafStatistics& one : m_statistics)
        if (!one.isEmpty())
            one.averageOverLeaves(m_groups.dataParallelGroup(),
                                  m_leaves->filledLeaves() * m_groups.layout().dataRankCount());
    for (PipelineStage& stage : m_stages.allStages()) stage.store().updated();
    return squares;
}

// Replaces buffers, such as batch norm's running statistics, by those of data-parallel rank 0.
void MeshStrategy::beginEvaluation() {
    if (m_groups.dataParallelGroup().size() == 1) return;
    for (PipelineStage& stage : m_stages.allStages()) {
        const std::vector<Parameter*>& parameters = stage.model().parameters();
        for (const Parameter* one : stage.model().state()) {
            if (std::ranges::find(parameters, one) != parameters.end()) continue;
            const CommType type = one->type == DType::kInt64 ? CommType::kInt64 : CommType::kFloat32;
            m_groups.dataParallelGroup().broadcast(
                {one->value.data, static_cast<std::size_t>(one->value.count()), type}, 0);
        }
    }
}

SampleLosses MeshStrategy::evaluate(const Batch& whole) {
    for (int microBatch = 0; microBatch < partCount(whole); ++microBatch) {
        const Batch batch = microBatchOf(whole, microBatch);
        for (PipelineStage& stage : m_stages.allStages()) {
            PipelineStage::Slot& slot = stage.takeSlot(microBatch);
            const Tensor x = m_messages.inputOf(stage, slot, batch);
            beginSlot(slot, microBatch, false);
            stage.store().beginForward();
            slot.y = slot.model->forward(x);
            stage.store().endForward();
            if (!stage.isLast()) {
                m_messages.sendOutput(stage, slot);
                continue;
            }
            slot.loss->compute(slot.y, batch, false);
            m_results.losses().record(slot.loss->rows(batch), microBatch);
        }
        for (PipelineStage& stage : m_stages.allStages()) stage.releaseSlot(stage.slotOf(microBatch));
    }
    return m_results.fetchLosses(whole, false);
}

}  // namespace ringside
