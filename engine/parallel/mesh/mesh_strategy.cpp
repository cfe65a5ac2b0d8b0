// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_strategy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/backend.h"
#include "nn/layer/value_hash.h"
#include "parallel/parameters/sharded_parameters.h"
#include "parallel/parameters/whole_parameters.h"
#include "parallel/strategy/batch_rows.h"
#include "plan/stage_plan.h"
#include "schedule/schedule_simulation.h"

namespace ringside {

namespace {

constexpr double kNoNorm = std::numeric_limits<double>::quiet_NaN();

// Returns the reason why a canonical reduction is impossible; empty if it is possible.
std::string whyNotCanonical(const StrategyDependencies& dependencies) {
    if (dependencies.backend.device().kind != Device::Kind::kCpu)
        return "it is supported only on CPUs: set parallel.device to cpu";
    const auto transport = choiceNamed<CollectiveBackend>(dependencies.communicator.name());
    if (transport == CollectiveBackend::kMpi || transport == CollectiveBackend::kNccl)
        return textOf(*transport) + " adds in its own order: set parallel.backend to gloo";
    return {};
}

}  // namespace

Result<std::unique_ptr<Strategy>> MeshStrategy::make(const RunConfig& config,
                                                     const StrategyDependencies& dependencies) {
    if (config.fsdp.cpuOffload && dependencies.backend.device().kind != Device::Kind::kCpu)
        return Problem{"fsdp.cpu_offload", "is true, which is supported only on CPUs for now", "set it to false"};
    if (dependencies.plan.leaves > 0)
        if (const std::string why = whyNotCanonical(dependencies); !why.empty())
            return Problem{"training.reduction", "is canonical, but " + why, "set it to rank"};
    std::unique_ptr<MeshStrategy> strategy(new MeshStrategy(config, dependencies));
    auto optimizer = makeOptimizer(config.optimizer, strategy->m_stages.updated(), dependencies.backend,
                                   config.training.precision == TrainingPrecision::kFp16);
    if (!optimizer) return optimizer.problem();
    strategy->m_optimizer = std::move(optimizer).value();
    strategy->m_wholeTensors = std::make_unique<WholeTensors>(
        WholeTensors::Parts{config.optimizer, dependencies.model, dependencies.backend, strategy->m_groups,
                            strategy->m_stages, *strategy->m_optimizer});
    if (config.fsdp.cpuOffload) strategy->logOffload();
    strategy->logStatistics();
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
      m_squares(dependencies.model.wholeParameters()) {
    addStages();
    for (PipelineStage& stage : m_stages.all()) {
        stage.setStore(makeStore(stage));
        stage.store().initialise(config.training.seed);
    }
    m_stages.watchGradients(dependencies.ownGradient);
    if (m_plan.leaves > 0)
        m_leaves = std::make_unique<LeafBatches>(static_cast<int>(m_plan.leaves), m_plan.maxBatch, dependencies.task,
                                                 dependencies.backend);
    for (PipelineStage& stage : m_stages.all())
        if (m_leaves) m_statistics.emplace_back(stage.model(), m_plan.keptLevels);
    m_losses.resize(static_cast<std::size_t>(2 * m_plan.maxBatch));
    m_planned = shares();
}

void MeshStrategy::addStages() {
    const int own = m_groups.layout().pipeline();
    const auto& actions = m_plan.schedule.ranks[static_cast<std::size_t>(own)];
    for (const std::size_t number : m_plan.stagesOf(own)) {
        const StageLayers layers = m_plan.layersOf(number);
        PipelineStage& stage =
            m_stages.add({.config = m_config,
                          .plan = m_plan,
                          .backend = m_dependencies.backend,
                          .range = {layers.first, layers.last},
                          .number = number,
                          .microBatches = mostInFlight(actions, static_cast<int>(number)),
                          .classes = m_dependencies.loss.countsCorrect() ? m_dependencies.task.outputs : 0,
                          .targets = m_dependencies.task.outputs,
                          .positions = m_dependencies.task.isSequence ? m_dependencies.task.sample[0] : 1,
                          .isLast = number + 1 == m_plan.stages()});
        for (Model* model : stage.models()) model->watch(m_dependencies.watch);
    }
}

std::unique_ptr<ParameterStore> MeshStrategy::makeStore(PipelineStage& stage) {
    const bool inTree = m_plan.leaves > 0;
    if (m_plan.mesh.shard == 1)
        return std::make_unique<WholeParameters>(stage.models(), m_groups.data(), m_dependencies.backend,
                                                 m_plan.buckets,
                                                 ReducerOptions{.keptLevels = m_plan.keptLevels, .inTree = inTree});
    const ShardingOptions options{.freesParameters = m_plan.sharding.freesParameters,
                                  .keepsGradients = m_plan.sharding.keepsGradients,
                                  .prefetches = m_plan.sharding.prefetches,
                                  .keptLevels = m_plan.keptLevels,
                                  .inTree = inTree};
    return std::make_unique<ShardedParameters>(stage.models(), stage.units(), m_groups.shard(), m_groups.data(),
                                               m_dependencies.backend, options);
}

// Returns this rank's shares of the layers' costs and of the parameters.
PlannedShares MeshStrategy::shares() const {
    double all = 0, own = 0, parameters = 0, ownParameters = 0;
    for (std::size_t stage = 0; stage < m_plan.stages(); ++stage)
        for (std::size_t i = m_plan.layersOf(stage).first; i < m_plan.layersOf(stage).last; ++i) {
            all += m_plan.layers[i].cost;
            own += m_stages.contains(stage) ? m_plan.layers[i].cost : 0;
        }
    for (const Parameter* one : m_dependencies.model.wholeParameters())
        parameters += static_cast<double>(one->shape.count());
    for (const Parameter* one : m_stages.trained()) ownParameters += static_cast<double>(one->shape.count());
    PlannedShares planned;
    if (all > 0) planned.compute = std::min(1.0, own / all);
    if (parameters > 0) planned.update = std::min(1.0, ownParameters / parameters);
    return planned;
}

// Logs the size of the state that fsdp.cpu_offload keeps in host memory. On the CPU this is also the device's memory:
// no data is copied, and the size is what a separate device would save.
void MeshStrategy::logOffload() {
    std::int64_t bytes = 0;
    for (const Parameter* one : m_stages.updated())
        bytes += one->shape.count() * static_cast<std::int64_t>(sizeof(float)) *
                 static_cast<std::int64_t>(2 + m_wholeTensors->kept().size());
    if (m_dependencies.log)
        m_dependencies.log(
            "fsdp.cpu_offload: " + std::to_string(bytes) +
            " bytes of shards, their gradients and the optimizer state are in host memory, which is also the "
            "device memory on a CPU");
}

void MeshStrategy::logStatistics() {
    const bool splits = m_plan.microBatches > 1 && m_plan.leaves == 0;
    if (!splits || !m_plan.hasBatchNorm() || m_dependencies.communicator.rank() != 0 || !m_dependencies.log) return;
    m_dependencies.log("Batch norm computes its statistics over micro-batches of " + std::to_string(m_plan.microRows) +
                       " samples, as with gradient accumulation: the losses differ from those of whole batches of " +
                       std::to_string(m_config.loader.batchSize));
}

int MeshStrategy::partsOf(const Batch& batch) const {
    return static_cast<int>((batch.rows() + m_plan.microRows - 1) / m_plan.microRows);
}

Batch MeshStrategy::part(const Batch& batch, int microBatch) const {
    const std::int64_t first = microBatch * m_plan.microRows;
    const std::int64_t count = std::min(m_plan.microRows, batch.rows() - first);
    return rowsFrom(batch, first, count);
}

// Starts a pass with dropout's key. For a leaf, the key depends on the leaf and not on its rank. Otherwise it is the
// key of a rank that accumulates the same micro-batches.
void MeshStrategy::begin(PipelineStage::Slot& slot, int microBatch, bool training) {
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const RankLayout& layout = m_groups.layout();
    std::int64_t reader = layout.dataRank();
    std::int64_t pass = m_passes + microBatch;
    if (m_leaves && training) {
        reader += m_leaves->leafOf(microBatch) * layout.dataSize();
        pass = 0;
    }
    slot.model->begin(
        {.training = training,
         .key = hashOf({number(m_config.training.seed), number(reader), number(m_optimizer->steps()), number(pass)})});
}

// Repeats the schedule until every leaf has been processed, in the same order on every stage.
void MeshStrategy::runLeaves(const Batch& batch) {
    m_leaves->take(batch);
    const auto& actions = m_plan.schedule.ranks[static_cast<std::size_t>(m_groups.layout().pipeline())];
    const int atOnce = static_cast<int>(m_plan.microBatches);
    for (int first = 0; first < m_leaves->turns(); first += atOnce) {
        for (PipelineAction action : actions) {
            action.microBatch += first;
            if (m_leaves->isFilled(action.microBatch)) runAction(action, batch);
        }
    }
}

PassPlace MeshStrategy::placeOf(const PipelineAction& action) const {
    const bool inHalves = action.work != PipelineWork::kBackward;
    if (m_leaves) return {treeTurn(action.microBatch, m_leaves->turns(), m_leaves->filled()), inHalves};
    const bool isFirst = m_passes + action.microBatch == 0;
    const bool isLast = m_lastBatch && action.microBatch == m_lastMicroBatch;
    return {{isFirst ? 0U : 1U, isLast ? -1 : 0}, inHalves};
}

// Returns the leaf's share of the samples of the global batch, so that the leaf's gradient is its part of the mean.
float MeshStrategy::shareOf(int microBatch) const {
    if (!m_leaves) return m_share;
    std::int64_t rows = 0;
    for (int turn = 0; turn < m_leaves->turns(); ++turn) rows += m_leaves->rowsOf(turn);
    return static_cast<float>(static_cast<double>(m_leaves->rowsOf(microBatch)) /
                              static_cast<double>(rows * m_groups.layout().dataSize()));
}

Batch MeshStrategy::trainingPart(const Batch& batch, int microBatch) const {
    return m_leaves ? m_leaves->batch(microBatch) : part(batch, microBatch);
}

SampleLosses MeshStrategy::accumulate(const Batch& batch) {
    run(batch, false);
    m_passes += partsOf(batch);
    m_messages.setEarlierMicroBatches(m_passes);
    return shareLosses(batch);
}

StepResult MeshStrategy::step(const Batch& batch, StepRequest) {
    run(batch, true);
    m_dependencies.onPhaseEnd(Phase::kBackward);
    {
        const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
        for (PipelineStage& stage : m_stages.all()) stage.store().finish();
    }
    m_dependencies.onPhaseEnd(Phase::kMoving);
    update();
    m_passes = 0;
    m_messages.setEarlierMicroBatches(0);
    StepResult result;
    result.gradientNorm = m_groups.world().rank() == 0 ? m_norm : kNoNorm;
    result.losses = shareLosses(batch);
    return result;
}

void MeshStrategy::run(const Batch& batch, bool isLast) {
    if (m_leaves) return runLeaves(batch);
    m_lastBatch = isLast;
    const int dependencies = partsOf(batch);
    m_lastMicroBatch = dependencies - 1;
    for (const PipelineAction& action : m_plan.schedule.ranks[static_cast<std::size_t>(m_groups.layout().pipeline())])
        if (action.microBatch < dependencies) runAction(action, batch);
}

void MeshStrategy::runAction(const PipelineAction& action, const Batch& batch) {
    PipelineStage& stage = *m_stages.numbered(static_cast<std::size_t>(action.stage));
    if (action.work == PipelineWork::kForward) return forward(stage, action.microBatch, batch);
    backward(stage, action, batch);
}

void MeshStrategy::show(const PipelineAction& action) const {
    if (m_dependencies.onAction && m_plan.schedule.rankCount() > 1)
        m_dependencies.onAction(action, ActionTimes{}.of(action.work) / m_length);
}

void MeshStrategy::forward(PipelineStage& stage, int microBatch, const Batch& whole) {
    PipelineStage::Slot& slot = stage.take(microBatch);
    const Batch batch = trainingPart(whole, microBatch);
    const Tensor x = m_messages.inputOf(stage, slot, batch);
    show({static_cast<int>(stage.number()), PipelineWork::kForward, microBatch});
    const PhaseScope scope(m_dependencies.phase, Phase::kForward);
    begin(slot, microBatch, true);
    LeafStatistics* const statistics = m_leaves ? &m_statistics[m_stages.indexOf(stage.number())] : nullptr;
    if (statistics) statistics->beforeForward(microBatch);
    stage.store().beginForward();
    slot.y = slot.model->forward(x);
    stage.store().endForward();
    if (statistics) statistics->afterForward(treeTurn(microBatch, m_leaves->turns(), m_leaves->filled()));
    if (stage.isLast())
        recordLosses(slot, whole, microBatch, true);
    else
        m_messages.sendOutput(stage, slot);
}

// Stores losses, and behind all of them the hits, at the positions of the samples in the batch.
void MeshStrategy::recordLosses(const PipelineStage::Slot& slot, const Batch& whole, int microBatch, bool training) {
    const Batch batch = training ? trainingPart(whole, microBatch) : part(whole, microBatch);
    const SampleLosses losses = slot.loss->evaluate(slot.y, batch, training);
    const bool isLeaf = m_leaves && training;
    const auto place = [&](std::size_t i) {
        const auto row = static_cast<std::int64_t>(i);
        return static_cast<std::size_t>(isLeaf ? m_leaves->rowOf(microBatch, row)
                                               : microBatch * m_plan.microRows + row);
    };
    const std::size_t half = m_losses.size() / 2;
    for (std::size_t i = 0; i < losses.loss.size(); ++i) m_losses[place(i)] = losses.loss[i];
    for (std::size_t i = 0; i < losses.correct.size(); ++i) m_losses[half + place(i)] = losses.correct[i];
}

Tensor MeshStrategy::gradientFor(PipelineStage& stage, PipelineStage::Slot& slot) {
    if (stage.isLast()) {
        m_optimizer->scaleLoss(slot.loss->gradient(), shareOf(slot.microBatch));
        return slot.loss->gradient();
    }
    return m_messages.gradientFor(stage, slot);
}

void MeshStrategy::backward(PipelineStage& stage, const PipelineAction& action, const Batch&) {
    PipelineStage::Slot& slot = stage.of(action.microBatch);
    const bool isWeights = action.work == PipelineWork::kWeights;
    const Tensor gradient = isWeights ? Tensor{} : gradientFor(stage, slot);
    show(action);
    const PhaseScope scope(m_dependencies.phase, Phase::kBackward);
    ParameterStore& store = stage.store();
    const bool inHalves = action.work != PipelineWork::kBackward;
    store.beginBackward(placeOf(action));
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
    if (!inHalves || isWeights) stage.release(slot);
}

// Updates the parameters. The gradient norm takes a collective over all ranks; if the update does not need it, it is
// computed only every kStepsBetweenNorms steps.
void MeshStrategy::update() {
    constexpr std::int64_t kStepsBetweenNorms = 16;
    const PhaseScope scope(m_dependencies.phase, Phase::kOptimizer);
    const bool needed = m_optimizer->rules().measuresNorm();
    m_norm = kNoNorm;
    if (needed || m_optimizer->steps() % kStepsBetweenNorms == 0) {
        const double square = m_leaves ? MeshNorm::exactSquared(m_stages.all(), m_groups)
                                       : m_squares.squared(m_stages.all(), m_groups, m_dependencies.backend);
        m_norm = std::sqrt(square);
        if (needed) m_optimizer->updateWith(square);
    }
    if (!needed) m_optimizer->update();
    if (needed) m_norm = static_cast<double>(m_optimizer->progress().norm);
    m_optimizer->count();
    for (LeafStatistics& one : m_statistics)
        if (!one.none()) one.finish(m_groups.data(), m_leaves->filled() * m_groups.layout().dataSize());
    for (PipelineStage& stage : m_stages.all()) stage.store().updated();
}

// Broadcasts the losses from the last stage, so that all ranks of the pipeline return the same losses.
SampleLosses MeshStrategy::shareLosses(const Batch& batch) {
    const auto rows = static_cast<std::size_t>(batch.rows());
    const std::size_t half = m_losses.size() / 2;
    if (m_groups.layout().mesh.pipeline > 1) {
        const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
        m_groups.pipeline().broadcast(CommBuffer::of(std::span(m_losses)), m_plan.rankOfStage.back());
    }
    const std::span<const float> all(m_losses);
    return {all.first(rows), m_dependencies.loss.countsCorrect() ? all.subspan(half, rows) : std::span<const float>{}};
}

// Replaces buffers, such as batch norm's running statistics, by those of data-parallel rank 0.
void MeshStrategy::beginEvaluation() {
    if (m_groups.data().size() == 1) return;
    for (PipelineStage& stage : m_stages.all()) {
        const std::vector<Parameter*>& parameters = stage.model().parameters();
        for (const Parameter* one : stage.model().state()) {
            if (std::ranges::find(parameters, one) != parameters.end()) continue;
            const CommType type = one->type == DType::kInt64 ? CommType::kInt64 : CommType::kFloat32;
            m_groups.data().broadcast({one->value.data, static_cast<std::size_t>(one->value.count()), type}, 0);
        }
    }
}

SampleLosses MeshStrategy::evaluate(const Batch& whole) {
    for (int microBatch = 0; microBatch < partsOf(whole); ++microBatch) {
        const Batch batch = part(whole, microBatch);
        for (PipelineStage& stage : m_stages.all()) {
            PipelineStage::Slot& slot = stage.take(microBatch);
            const Tensor x = m_messages.inputOf(stage, slot, batch);
            begin(slot, microBatch, false);
            stage.store().beginForward();
            slot.y = slot.model->forward(x);
            stage.store().endForward();
            if (stage.isLast())
                recordLosses(slot, whole, microBatch, false);
            else
                m_messages.sendOutput(stage, slot);
        }
        for (PipelineStage& stage : m_stages.all()) stage.release(stage.of(microBatch));
    }
    return shareLosses(whole);
}

}  // namespace ringside
