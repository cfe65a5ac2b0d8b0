// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_strategy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
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

CommBuffer floatsOf(const Tensor& tensor) {
    return {tensor.data, static_cast<std::size_t>(tensor.count()), CommType::kFloat32};
}

// Returns the reason why a canonical reduction is impossible; empty if it is possible.
std::string whyNotCanonical(const StrategyParts& parts) {
    if (parts.backend.device().kind != Device::Kind::kCpu) return "it is computed on CPUs: set parallel.device to cpu";
    const std::string transport = parts.communicator.name();
    if (transport == "mpi" || transport == "nccl")
        return transport + " adds in an order of its own: set parallel.backend to gloo";
    return {};
}

}  // namespace

Result<std::unique_ptr<Strategy>> MeshStrategy::make(const RunConfig& config, const StrategyParts& parts) {
    if (config.fsdp.cpuOffload && parts.backend.device().kind != Device::Kind::kCpu)
        return Problem{"fsdp.cpu_offload", "is true, which runs on CPUs so far", "set it to false"};
    if (parts.plan.leaves > 0)
        if (const std::string why = whyNotCanonical(parts); !why.empty())
            return Problem{"training.reduction", "is canonical, but " + why, "set it to rank"};
    std::unique_ptr<MeshStrategy> strategy(new MeshStrategy(config, parts));
    auto optimizer = makeOptimizer(config.optimizer, strategy->updatedHere(), parts.backend,
                                   config.training.precision == TrainingPrecision::kFp16);
    if (!optimizer) return optimizer.problem();
    strategy->m_optimizer = std::move(optimizer).value();
    if (config.fsdp.cpuOffload) strategy->tellOffload();
    strategy->tellStatistics();
    return std::unique_ptr<Strategy>(std::move(strategy));
}

MeshStrategy::MeshStrategy(const RunConfig& config, const StrategyParts& parts)
    : m_config(config),
      m_parts(parts),
      m_plan(parts.plan),
      m_groups(parts.communicator, RankLayout{m_plan.mesh, parts.communicator.rank()}, m_plan.rankOfStage),
      m_length(simulate(m_plan.schedule, {}).makespan),
      m_share(static_cast<float>(1.0 / static_cast<double>(config.training.accumulateSteps * m_plan.microBatches))),
      m_squares(parts.model.wholeParameters()) {
    const int own = m_groups.layout().pipeline();
    const ReducerOptions sums{.keptLevels = m_plan.keptLevels, .inTree = m_plan.leaves > 0};
    const auto& actions = m_plan.schedule.ranks[static_cast<std::size_t>(own)];
    for (std::size_t number = 0; number < m_plan.stages(); ++number) {
        if (m_plan.rankOfStage[number] != own) continue;
        const StageLayers layers = m_plan.layersOf(number);
        StageParts stage{.config = m_config,
                         .plan = m_plan,
                         .backend = parts.backend,
                         .range = {layers.first, layers.last},
                         .number = number,
                         .microBatches = mostInFlight(actions, static_cast<int>(number)),
                         .classes = parts.loss.countsCorrect() ? parts.task.outputs : 0,
                         .targets = parts.task.outputs,
                         .positions = parts.task.isSequence ? parts.task.sample[0] : 1,
                         .isLast = number + 1 == m_plan.stages()};
        m_stageAt[number] = m_stages.size();
        m_stages.emplace_back(stage);
        for (Model* model : m_stages.back().models()) model->watch(parts.watch);
    }
    for (PipelineStage& stage : m_stages) {
        if (m_plan.mesh.shard == 1) {
            stage.setStore(std::make_unique<WholeParameters>(stage.models(), m_groups.data(), parts.backend,
                                                             m_plan.buckets, sums));
        } else {
            const ShardingOptions options{.freesParameters = m_plan.sharding.freesParameters,
                                          .keepsGradients = m_plan.sharding.keepsGradients,
                                          .prefetches = m_plan.sharding.prefetches,
                                          .keptLevels = sums.keptLevels,
                                          .inTree = sums.inTree};
            stage.setStore(std::make_unique<ShardedParameters>(stage.models(), stage.units(), m_groups.shard(),
                                                               m_groups.data(), parts.backend, options));
        }
        stage.store().initialise(config.training.seed);
    }
    watchGradients();
    if (m_plan.leaves > 0)
        m_leaves =
            std::make_unique<LeafBatches>(static_cast<int>(m_plan.leaves), m_plan.maxBatch, parts.task, parts.backend);
    for (PipelineStage& stage : m_stages)
        if (m_leaves) m_statistics.emplace_back(stage.model(), m_plan.keptLevels);
    m_losses.resize(static_cast<std::size_t>(2 * m_plan.maxBatch));
    m_planned = shares();
}

// Returns this rank's shares of the layers' costs and of the parameters.
PlannedShares MeshStrategy::shares() const {
    double all = 0, own = 0, parameters = 0, ownParameters = 0;
    for (std::size_t stage = 0; stage < m_plan.stages(); ++stage)
        for (std::size_t i = m_plan.layersOf(stage).first; i < m_plan.layersOf(stage).last; ++i) {
            all += m_plan.layers[i].cost;
            own += m_stageAt.contains(stage) ? m_plan.layers[i].cost : 0;
        }
    for (const Parameter* one : m_parts.model.wholeParameters()) parameters += static_cast<double>(one->shape.count());
    for (const Parameter* one : m_trained) ownParameters += static_cast<double>(one->shape.count());
    PlannedShares planned;
    if (all > 0) planned.compute = std::min(1.0, own / all);
    if (parameters > 0) planned.update = std::min(1.0, ownParameters / parameters);
    return planned;
}

// Logs the size of the state that fsdp.cpu_offload keeps in host memory. On the CPU this is also the device's memory:
// no data is copied, and the size is what a separate device would save.
void MeshStrategy::tellOffload() {
    std::int64_t bytes = 0;
    for (const Parameter* one : updatedHere())
        bytes += one->shape.count() * static_cast<std::int64_t>(sizeof(float)) *
                 static_cast<std::int64_t>(2 + keptByOptimizer().size());
    if (m_parts.tell)
        m_parts.tell("fsdp.cpu_offload: " + std::to_string(bytes) +
                     " bytes of shards, their gradients and the optimizer's state are in the host's memory, which on "
                     "the CPU is the device's");
}

void MeshStrategy::tellStatistics() {
    const bool splits = m_plan.microBatches > 1 && m_plan.leaves == 0;
    if (!splits || !m_plan.hasBatchNorm() || m_parts.communicator.rank() != 0 || !m_parts.tell) return;
    m_parts.tell("Batch norm takes its statistics from micro-batches of " + std::to_string(m_plan.microRows) +
                 " samples, as when gradients are accumulated: the losses are not those of whole batches of " +
                 std::to_string(m_config.loader.batchSize));
}

std::vector<Parameter*> MeshStrategy::updatedHere() {
    std::vector<Parameter*> all;
    for (PipelineStage& stage : m_stages)
        all.insert(all.end(), stage.store().trained().begin(), stage.store().trained().end());
    return all;
}

void MeshStrategy::watchGradients() {
    for (PipelineStage& stage : m_stages) {
        const std::size_t first = m_trained.size();
        m_trained.insert(m_trained.end(), stage.model().parameters().begin(), stage.model().parameters().end());
        if (!m_parts.ownGradient) continue;
        stage.store().watch([this, first](std::size_t parameter, const Tensor& gradient) {
            m_parts.ownGradient(first + parameter, gradient);
        });
    }
}

std::pair<PipelineStage&, std::size_t> MeshStrategy::stageOf(std::size_t trained) {
    for (PipelineStage& stage : m_stages) {
        const std::size_t count = stage.model().parameters().size();
        if (trained < count) return {stage, trained};
        trained -= count;
    }
    RINGSIDE_ASSERT(false);
    return {m_stages.front(), 0};
}

void MeshStrategy::copyValue(std::size_t parameter, std::span<float> to) {
    const auto [stage, place] = stageOf(parameter);
    std::vector<float> whole;
    stage.store().gather(place, stage.store().own(place), whole);
    std::copy_n(whole.begin(), to.size(), to.begin());
}

void MeshStrategy::copyGradient(std::size_t parameter, std::span<float> to) {
    const auto [stage, place] = stageOf(parameter);
    std::vector<float> whole;
    stage.store().gather(place, stage.store().ownGradient(place), whole);
    std::copy_n(whole.begin(), to.size(), to.begin());
}

PipelineStage* MeshStrategy::stageNumbered(std::size_t number) {
    const auto found = m_stageAt.find(number);
    return found == m_stageAt.end() ? nullptr : &m_stages[found->second];
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

SampleLosses MeshStrategy::accumulate(const Batch& batch) {
    run(batch, false);
    m_passes += partsOf(batch);
    return shareLosses(batch);
}

StepResult MeshStrategy::step(const Batch& batch, StepRequest) {
    run(batch, true);
    m_parts.passed(Phase::kBackward);
    {
        const PhaseScope scope(m_parts.phase, Phase::kWaiting);
        for (PipelineStage& stage : m_stages) stage.store().finish();
    }
    m_parts.passed(Phase::kMoving);
    update();
    m_passes = 0;
    StepResult result;
    result.gradientNorm = m_groups.world().rank() == 0 ? m_norm : kNoNorm;
    result.losses = shareLosses(batch);
    return result;
}

void MeshStrategy::run(const Batch& batch, bool isLast) {
    if (m_leaves) return runLeaves(batch);
    m_lastBatch = isLast;
    const int parts = partsOf(batch);
    m_lastMicroBatch = parts - 1;
    for (const PipelineAction& action : m_plan.schedule.ranks[static_cast<std::size_t>(m_groups.layout().pipeline())])
        if (action.microBatch < parts) carryOut(action, batch);
}

void MeshStrategy::carryOut(const PipelineAction& action, const Batch& batch) {
    PipelineStage& stage = *stageNumbered(static_cast<std::size_t>(action.stage));
    if (action.work == PipelineWork::kForward) return forward(stage, action.microBatch, batch);
    backward(stage, action, batch);
}

void MeshStrategy::show(const PipelineAction& action) const {
    if (m_parts.acting && m_plan.schedule.rankCount() > 1)
        m_parts.acting(action, ActionTimes{}.of(action.work) / m_length);
}

Tensor MeshStrategy::inputOf(PipelineStage& stage, PipelineStage::Slot& slot, const Batch& batch) {
    if (stage.isFirst()) return batch.features;
    Communicator* const edge = m_groups.forwardEdge(stage.number() - 1);
    if (!edge) return stageNumbered(stage.number() - 1)->of(slot.microBatch).y;
    const Tensor x = stage.incoming(slot, batch.rows());
    const PhaseScope scope(m_parts.phase, Phase::kWaiting);
    const MessageScope message(m_parts.trace, messageOf(stage, slot, x, PipelineWork::kForward, false));
    edge->recvAsync(floatsOf(x), 0).wait();
    return x;
}

void MeshStrategy::forward(PipelineStage& stage, int microBatch, const Batch& whole) {
    PipelineStage::Slot& slot = stage.take(microBatch);
    const Batch batch = trainingPart(whole, microBatch);
    const Tensor x = inputOf(stage, slot, batch);
    show({static_cast<int>(stage.number()), PipelineWork::kForward, microBatch});
    const PhaseScope scope(m_parts.phase, Phase::kForward);
    begin(slot, microBatch, true);
    LeafStatistics* const statistics = m_leaves ? &m_statistics[m_stageAt.at(stage.number())] : nullptr;
    if (statistics) statistics->beforeForward(microBatch);
    stage.store().beginForward();
    slot.y = slot.model->forward(x);
    stage.store().endForward();
    if (statistics) statistics->afterForward(treeTurn(microBatch, m_leaves->turns(), m_leaves->filled()));
    if (stage.isLast())
        recordLosses(slot, whole, microBatch, true);
    else
        sendOutput(stage, slot);
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

// Returns the number and properties of a message. The number identifies the edge, the direction, and the micro-batch
// within the step.
MessageStamp MeshStrategy::messageOf(const PipelineStage& stage, const PipelineStage::Slot& slot, const Tensor& tensor,
                                     PipelineWork work, bool isSent) const {
    constexpr std::int64_t kMicroBatches = std::int64_t{1} << 24;
    const bool isForward = work == PipelineWork::kForward;
    const std::size_t peer = isForward == isSent ? stage.number() + 1 : stage.number() - 1;
    const auto edge = static_cast<std::int64_t>(std::min(stage.number(), peer));
    return {.peer = m_groups.layout().rankAtStage(m_plan.rankOfStage[peer]),
            .number = (2 * edge + (isForward ? 0 : 1)) * kMicroBatches + m_passes + slot.microBatch,
            .bytes = static_cast<std::int64_t>(floatsOf(tensor).bytes()),
            .isSent = isSent};
}

void MeshStrategy::sendOutput(PipelineStage& stage, PipelineStage::Slot& slot) {
    Communicator* const edge = m_groups.forwardEdge(stage.number());
    if (!edge) return;
    const PhaseScope scope(m_parts.phase, Phase::kWaiting);  // forward() has ended; sending counts as waiting
    const MessageScope message(m_parts.trace, messageOf(stage, slot, slot.y, PipelineWork::kForward, true));
    slot.sentForward = edge->sendAsync(floatsOf(slot.y), 1);
}

Tensor MeshStrategy::gradientFor(PipelineStage& stage, PipelineStage::Slot& slot) {
    if (stage.isLast()) {
        m_optimizer->scaleLoss(slot.loss->gradient(), shareOf(slot.microBatch));
        return slot.loss->gradient();
    }
    const Tensor gradient = stage.incomingGradient(slot);
    Communicator* const edge = m_groups.backwardEdge(stage.number());
    if (!edge) return gradient;  // written there by the next stage, which is on the same rank
    const PhaseScope scope(m_parts.phase, Phase::kWaiting);
    const MessageScope message(m_parts.trace, messageOf(stage, slot, gradient, PipelineWork::kBackward, false));
    edge->recvAsync(floatsOf(gradient), 0).wait();
    return gradient;
}

void MeshStrategy::backward(PipelineStage& stage, const PipelineAction& action, const Batch&) {
    PipelineStage::Slot& slot = stage.of(action.microBatch);
    const bool isWeights = action.work == PipelineWork::kWeights;
    const Tensor gradient = isWeights ? Tensor{} : gradientFor(stage, slot);
    show(action);
    const PhaseScope scope(m_parts.phase, Phase::kBackward);
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
    if (!isWeights) sendGradient(stage, slot);
    if (!inHalves || isWeights) stage.release(slot);
}

void MeshStrategy::sendGradient(PipelineStage& stage, PipelineStage::Slot& slot) {
    if (stage.isFirst()) return;
    const std::size_t before = stage.number() - 1;
    if (Communicator* const edge = m_groups.backwardEdge(before)) {
        const PhaseScope scope(m_parts.phase, Phase::kWaiting);
        const MessageScope message(m_parts.trace, messageOf(stage, slot, slot.gradX, PipelineWork::kBackward, true));
        slot.sentBackward = edge->sendAsync(floatsOf(slot.gradX), 1);
        return;
    }
    PipelineStage& other = *stageNumbered(before);
    const Tensor to = other.incomingGradient(other.of(slot.microBatch));
    Tensor from = slot.gradX;
    from.shape = to.shape;
    m_parts.backend.copy(from, to);
}

// Returns the squared norm of all gradients of the model, of which this rank holds a part. Collective.
double MeshStrategy::squaredNorm() {
    if (m_leaves) return exactSquaredNorm();
    m_squares.clear();
    for (PipelineStage& stage : m_stages) {
        for (std::size_t i = 0; counts(stage) && i < stage.model().parameters().size(); ++i) {
            const Tensor gradient = stage.store().ownGradient(i);
            if (gradient.count() == 0) continue;
            const RowRange rows = stage.store().ownRows(i);
            m_parts.backend.squaresOfRows(gradient,
                                          m_squares.rows(stage.model().parameters()[i]->name, rows.first, rows.count));
        }
    }
    return m_squares.total(m_groups.world());
}

bool MeshStrategy::counts(PipelineStage& stage) const {
    const RankLayout& layout = m_groups.layout();
    return layout.replicate() == 0 && (stage.store().ownsDistinctPart() || layout.shard() == 0);
}

// Updates the parameters. The gradient norm takes a collective over all ranks; if the update does not need it, it is
// computed only every kStepsBetweenNorms steps.
void MeshStrategy::update() {
    constexpr std::int64_t kStepsBetweenNorms = 16;
    const PhaseScope scope(m_parts.phase, Phase::kOptimizer);
    const bool needed = m_optimizer->rules().measuresNorm();
    m_norm = kNoNorm;
    if (needed || m_optimizer->steps() % kStepsBetweenNorms == 0) {
        const double square = squaredNorm();
        m_norm = std::sqrt(square);
        if (needed) m_optimizer->updateWith(square);
    }
    if (!needed) m_optimizer->update();
    if (needed) m_norm = static_cast<double>(m_optimizer->progress().norm);
    m_optimizer->count();
    for (LeafStatistics& one : m_statistics)
        if (!one.none()) one.finish(m_groups.data(), m_leaves->filled() * m_groups.layout().dataSize());
    for (PipelineStage& stage : m_stages) stage.store().updated();
}

// Broadcasts the losses from the last stage, so that all ranks of the pipeline return the same losses.
SampleLosses MeshStrategy::shareLosses(const Batch& batch) {
    const auto rows = static_cast<std::size_t>(batch.rows());
    const std::size_t half = m_losses.size() / 2;
    if (m_groups.layout().mesh.pipeline > 1) {
        const PhaseScope scope(m_parts.phase, Phase::kWaiting);
        m_groups.pipeline().broadcast(CommBuffer::of(std::span(m_losses)), m_plan.rankOfStage.back());
    }
    const std::span<const float> all(m_losses);
    return {all.first(rows), m_parts.loss.countsCorrect() ? all.subspan(half, rows) : std::span<const float>{}};
}

// Replaces buffers, such as batch norm's running statistics, by those of data-parallel rank 0.
void MeshStrategy::beginEvaluation() {
    if (m_groups.data().size() == 1) return;
    for (PipelineStage& stage : m_stages) {
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
        for (PipelineStage& stage : m_stages) {
            PipelineStage::Slot& slot = stage.take(microBatch);
            const Tensor x = inputOf(stage, slot, batch);
            begin(slot, microBatch, false);
            stage.store().beginForward();
            slot.y = slot.model->forward(x);
            stage.store().endForward();
            if (stage.isLast())
                recordLosses(slot, whole, microBatch, false);
            else
                sendOutput(stage, slot);
        }
        for (PipelineStage& stage : m_stages) stage.release(stage.of(microBatch));
    }
    return shareLosses(whole);
}

}  // namespace ringside
