// SPDX-License-Identifier: Apache-2.0
#include "train/loop/trainer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <thread>
#include <utility>

#include "comm/hosts/contribution_watch.h"
#include "comm/pace/link_pace.h"
#include "config/leaves.h"
#include "config/mesh.h"
#include "model/model_description.h"
#include "nn/models/model_factory.h"
#include "sampling/plan/epoch_spec.h"
#include "train/parts/non_finite.h"
#include "train/parts/training_error.h"

namespace ringside {

namespace {

constexpr std::size_t kMostTracedCollectives = 1024;  // per step

// Returns the number of validation batches between two checks for control commands, the same on every rank. Each check
// costs a collective: after each batch that may take seconds, after up to 32 small ones.
std::int64_t batchesBetweenStopChecks(const TrainerParts& parts) {
    constexpr std::int64_t kMostBatches = 32;
    constexpr std::int64_t kValues = 1'000'000;
    const std::int64_t perBatch = parts.config.loader.batchSize * parts.data.training->shape().features;
    return std::clamp<std::int64_t>(kValues / std::max<std::int64_t>(perBatch, 1), 1, kMostBatches);
}

// Uses the communicator's size as the number of ranks, which overrides the configuration.
RankLayout layoutOf(const TrainerParts& parts) {
    RunConfig config = parts.config;
    config.parallel.worldSize = parts.communicator.size();
    return {meshOf(config), parts.communicator.rank()};
}

ShardSpec trainingSpec(const TrainerParts& parts, std::int64_t epoch) {
    ShardSpec spec = epochSpec(parts.config, parts.data.training, epoch);
    spec.worldSize = layoutOf(parts).dataSize();
    return spec;
}

// Returns the plan of DistributedSampler(shuffle=False): each rank evaluates its share; the last slots may be
// duplicates.
std::optional<ShardPlan> validationPlan(const TrainerParts& parts) {
    if (!parts.data.validation || parts.data.validation->size() == 0) return std::nullopt;
    return valueOrThrow(ShardPlan::make({.datasetSize = parts.data.validation->size(),
                                         .worldSize = layoutOf(parts).dataSize(),
                                         .shuffle = false,
                                         .batchSize = parts.config.loader.batchSize}));
}

std::int64_t samplesPerRank(const Dataset* dataset, int ranks) {
    return dataset ? (dataset->size() + ranks - 1) / ranks : 0;
}

// Returns the largest batch that can occur, in samples. It bounds the memory even if loader.batch_size is larger.
std::int64_t largestBatch(const TrainerParts& parts) {
    const int ranks = layoutOf(parts).dataSize();
    const std::int64_t share = std::max({shardNumbers(trainingSpec(parts, 0)).samplesPerRank,
                                         samplesPerRank(parts.data.validation.get(), ranks), std::int64_t{1}});
    return std::min(parts.config.loader.batchSize, share);
}

// True if the model allocates all its parameters itself. If false, the strategy allocates them.
bool holdsWholeModel(const TrainerParts& parts) {
    const bool onDevices = parts.config.parallel.strategy == StrategyKind::kDataParallel;
    return layoutOf(parts).isWhole() && (onDevices || !isCanonical(parts.config));
}

std::unique_ptr<Model> preparedModel(const TrainerParts& parts) {
    const Dataset& data = *parts.data.training;
    const ModelTask task = modelTask(data);
    ModelBuild build{.recompute = parts.config.training.recompute};
    auto model = valueOrThrow(makeModel(parts.config.model, task, parts.backend, build));
    if (!holdsWholeModel(parts)) {
        model->prepare(1, LayerRange{0, 0}, Model::Values::kBoundLater);
        return model;
    }
    model->prepare(largestBatch(parts));
    model->initialise(parts.config.training.seed);
    return model;
}

// Sets the memory limit before the model allocates its first tensor, so that all its memory is counted.
std::unique_ptr<Model> limitedModel(const TrainerParts& parts) {
    constexpr double kMebibyte = 1 << 20;
    parts.backend.memory().setLimit(static_cast<std::int64_t>(parts.config.parallel.memoryLimitMb * kMebibyte));
    return preparedModel(parts);
}

std::unique_ptr<Loss> lossFor(const TrainerParts& parts) {
    const Dataset& data = *parts.data.training;
    return valueOrThrow(makeLoss(parts.config.training.loss, data.classCount(), data.targetCount(),
                                 holdsWholeModel(parts) ? largestBatch(parts) : 1, parts.backend,
                                 data.shape().labels()));
}

const Dataset& validationOrTraining(const DataSplit& data) {
    return data.validation ? *data.validation : *data.training;
}

// Returns the function that exchanges a sample index for a test; empty in all other cases.
DataLoaderOptions::ChangeIndices changeIndices(const TrainerParts& parts, const Dataset& dataset) {
    const bool wanted =
        parts.wrongIndex && &dataset == parts.data.training.get() && parts.wrongIndex->sample < dataset.size();
    if (!wanted) return {};
    return [wrong = *parts.wrongIndex](std::int64_t epoch, std::int64_t firstSlot, std::span<std::int64_t> indices) {
        wrong.apply(epoch, firstSlot, indices);
    };
}

GathererParts gathererParts(const TrainerParts& parts, const Dataset& dataset, BatchMemory& hostMemory) {
    const Problems problems = transformProblems(parts.config.loader, dataset.shape());
    if (!problems.empty()) throw TrainingError(problems.front());
    return {.dataset = dataset,
            .config = parts.config,
            .backend = parts.backend,
            .memory = parts.batchMemory != nullptr ? *parts.batchMemory : hostMemory,
            .maxBatch = largestBatch(parts),
            .training = &dataset == parts.data.training.get(),
            .changeIndices = changeIndices(parts, dataset)};
}

// Returns the number of optimizer steps in all epochs.
std::int64_t plannedSteps(const ShardPlan& plan, const TrainingConfig& training) {
    const std::int64_t perStep = training.accumulateSteps;
    return (plan.stepsPerEpoch() + perStep - 1) / perStep * training.epochs;
}

// "images are normalized with mean 0.491 0.482 and deviation 0.247 0.243"
std::string scaleText(const ChannelScale& scale) {
    const auto list = [](const std::vector<float>& values) {
        std::string text;
        for (const float value : values) {
            std::array<char, 32> digits{};
            std::snprintf(digits.data(), digits.size(), " %.9g", static_cast<double>(value));
            text += digits.data();
        }
        return text;
    };
    return "images are normalized with mean" + list(scale.mean) + " and deviation" + list(scale.deviation);
}

// Returns the number of slots in the range without duplicates, which are always last.
std::size_t uniqueSlots(const ShardPlan& plan, int rank, SlotRange range) {
    std::int64_t unique = range.count;
    while (unique > 0 && plan.isPadded(rank, range.first + unique - 1)) --unique;
    return static_cast<std::size_t>(unique);
}

// Returns the polling interval of paused ranks: an eighth of the collective timeout, at most 200 ms. The other ranks
// wait for rank 0 in a collective meanwhile, so the interval must stay far below the timeout.
std::chrono::microseconds lookEvery(const RunConfig& config) {
    return std::min(std::chrono::microseconds{200'000},
                    std::chrono::microseconds{static_cast<std::int64_t>(config.parallel.timeoutSeconds * 1e6 / 8)});
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts)
    : m_parts(parts),
      m_collectives(parts.observer.progress().phase, kMostTracedCollectives),
      m_tracedCommunicator(parts.communicator, &m_collectives),
      m_layout(layoutOf(parts)),
      m_task(modelTask(*parts.data.training)),
      m_pacer(DevicePace(parts.config, m_task), parts.communicator.rank(), parts.observer.progress().phase),
      m_model(limitedModel(parts)),
      m_loss(lossFor(parts)),
      m_replicas({.config = m_parts.config, .backend = parts.backend, .observer = parts.observer, .layout = m_layout}),
      m_strategy(valueOrThrow(makeStrategy(
          parts.config,
          {*m_model, *m_loss, parts.communicator, parts.backend, m_task, largestBatch(parts),
           parts.observer.progress().phase,
           [this](const std::string& text) {
               m_parts.observer.onEvent(LogLine{m_parts.communicator.rank(), "info", text, m_parts.observer.nowUs()});
           },
           [this](Phase phase) { passed(phase); }, &m_layerShow, m_replicas.ownGradient(),
           [this](const PipelineAction& action, double share) { acting(action, share); }, &m_collectives}))),
      m_schedule(parts.config.schedule, parts.config.scaledLearningRate(), parts.config.training.epochs),
      m_hostMemory(makeHostMemory()),
      m_trainingGatherer(gathererParts(parts, *parts.data.training, *m_hostMemory)),
      m_validationGatherer(gathererParts(parts, validationOrTraining(parts.data), *m_hostMemory)),
      m_validationPlan(validationPlan(parts)),
      m_indexReport(m_layout.isReader() ? parts.reportSamples : "never", m_layout.dataRank(), parts.observer),
      m_linkWatch(parts.communicator.rank()),
      m_checkpoints(m_parts, *m_model, *m_strategy),
      m_agreement(parts.communicator, parts.control),
      m_control({.agreement = m_agreement,
                 .source = parts.control,
                 .observer = parts.observer,
                 .isRankZero = parts.communicator.rank() == 0,
                 .rank = parts.communicator.rank(),
                 .lookEvery = lookEvery(parts.config)},
                controlActions()),
      m_epochs(parts.config.training.epochs),
      m_ownParameters(ownParameters()),
      m_tracer({.trace = parts.config.telemetry.trace,
                .rank = parts.communicator.rank(),
                .worldSize = parts.communicator.size()},
               parts.observer.progress().phase, m_collectives),
      m_slowPhase(parts.config.stepPitfalls, parts.communicator.rank(), parts.observer.progress().phase,
                  [this](std::chrono::microseconds delay) { m_parts.control.waitForStop(delay); }) {
    m_replicas.setStrategy(*m_strategy);
    m_tracer.setPlanned(m_strategy->plannedShares());
    m_pacer.follow();
    if (m_layout.mesh.pipeline == 1) m_layerShow.follow(m_control, parts.config.training.accumulateSteps);
}

TrainOutcome Trainer::run() {
    const PhaseScope scope(m_parts.observer.progress().phase, Phase::kIdle);
    const ShardPlan first = valueOrThrow(ShardPlan::make(trainingSpec(m_parts, 0)));
    checkShard(first);
    logSmallShard(first);
    m_wholeBatch = largestBatch(m_parts);
    checkPace();
    m_plannedSteps = plannedSteps(first, m_parts.config.training);
    resume();
    m_checkpoints.reserve();
    normalize();
    m_strategy->synchronise();
    reportReplica();
    reportMemory();
    const TrainingConfig& training = m_parts.config.training;
    while (m_position.epoch < m_epochs && !hasEnoughSteps()) {
        m_parts.observer.onState("training");
        m_strategy->setLearningRate(m_schedule.learningRate());
        if (!trainEpoch() || !validate()) {
            m_checkpoints.saveLast(m_position);
            return TrainOutcome::kStopped;
        }
        if (hasEnoughSteps() && m_position.batches < trainingBatches()) break;
        reportEpochEnd();
        m_position = {.step = m_position.step, .epoch = m_position.epoch + 1};
        const bool due = training.checkpointEvery > 0 && m_position.epoch % training.checkpointEvery == 0;
        if (due && m_position.epoch < m_epochs) m_checkpoints.save(m_position);
        m_schedule.nextEpoch();
    }
    m_checkpoints.saveLast(m_position);
    return TrainOutcome::kFinished;
}

void Trainer::resume() {
    m_position = m_checkpoints.resume();
    m_control.restoreChanges(m_position.changes);
    m_checkpoints.setChanges(m_position.changes);
    for (std::int64_t epoch = 0; epoch <= m_position.epoch; ++epoch) {
        if (epoch > 0) m_schedule.nextEpoch();
        for (const ControlChange& change : m_position.changes)
            if (change.kind == "lr" && change.epoch == epoch) m_schedule.setLearningRate(change.value);
    }
    m_parts.observer.progress().step.store(m_position.step, std::memory_order_relaxed);
}

// Reports the replica's gradients before the rank pauses, so that they are visible during the pause.
void Trainer::passed(Phase phase) {
    m_replicas.passed(phase);
    m_control.passed(phase);
    if (phase == Phase::kForward && m_control.isShown(m_position.step)) m_replicas.lookNow(!m_control.isHeldSoon());
}

// Reports the pipeline action that the rank executes, if single phases or slow motion are shown.
void Trainer::acting(const PipelineAction& action, double share) {
    if (!m_control.showsParts()) return;
    const Phase phase = action.work == PipelineWork::kForward ? Phase::kForward : Phase::kBackward;
    m_control.showPart(phase, -1, action.text(), share / static_cast<double>(m_parts.config.training.accumulateSteps));
}

bool Trainer::trainEpoch() {
    m_parts.observer.progress().epoch.store(m_position.epoch, std::memory_order_relaxed);
    const ShardPlan plan = valueOrThrow(ShardPlan::make(trainingSpec(m_parts, m_position.epoch)));
    m_sumsReduced = false;
    m_consumed.clear();
    m_consumed.reserve(static_cast<std::size_t>(plan.samplesPerRank()));
    // The epoch's sample list includes the samples trained before the checkpoint.
    const std::int64_t trained =
        m_position.batches > 0 ? plan.batch(m_position.batches - 1).first + plan.batch(m_position.batches - 1).count
                               : 0;
    for (std::int64_t slot = 0; slot < trained; ++slot) m_consumed.push_back(plan.index(m_layout.dataRank(), slot));
    m_trainingGatherer.begin(plan, m_layout.dataRank(), m_position.epoch, m_position.batches);
    const bool goOn = trainSteps(plan);
    m_trainingGatherer.end();
    if (goOn) {
        reportResult("train", m_position.sums);
    } else {
        m_position.sums.reduce(m_strategy->readers());
    }
    m_sumsReduced = true;
    return goOn;
}

bool Trainer::trainSteps(const ShardPlan& plan) {
    const std::int64_t batches = plan.stepsPerEpoch();
    const std::int64_t perStep = m_parts.config.training.accumulateSteps;
    bool goOn = true;
    while (goOn && m_position.batches < batches && !hasEnoughSteps()) {
        if (isLeavingEarly(batches)) leaveEarly();
        const std::int64_t first = m_position.batches;
        m_position.batches = std::min(first + perStep, batches);
        goOn = trainStep(plan, {first, m_position.batches});
    }
    return goOn;
}

// True if pitfalls.early_exit ends the loop of the last rank one step before the other ranks, as uneven data would.
bool Trainer::isLeavingEarly(std::int64_t batches) const {
    if (!m_parts.config.stepPitfalls.earlyExit || m_parts.communicator.size() == 1) return false;
    if (m_parts.communicator.rank() != m_parts.communicator.size() - 1) return false;
    return m_position.batches + m_parts.config.training.accumulateSteps >= batches;
}

// Blocks forever without joining any collective, until the supervisor ends the process.
void Trainer::leaveEarly() {
    const int rank = m_parts.communicator.rank();
    m_parts.observer.onEvent(LogLine{rank, "warning",
                                     "pitfalls.early_exit: rank " + std::to_string(rank) + " leaves after step " +
                                         std::to_string(m_position.step) +
                                         ", one before the others; their next all-reduce waits for it",
                                     m_parts.observer.nowUs()});
    m_parts.observer.onState("left early");
    const PhaseScope scope(m_parts.observer.progress().phase, Phase::kIdle);
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

bool Trainer::trainStep(const ShardPlan& plan, BatchRange batches) {
    m_tracer.begin(m_position.step + 1, m_position.epoch, m_parts.observer.startNs(), m_control.isWatched());
    m_slowPhase.beginStep();
    m_pacer.beginStep(m_ownParameters, m_slowPhase.delayIn(Phase::kOptimizer).count());
    const int rank = m_layout.dataRank();
    const std::size_t consumedBefore = m_consumed.size();
    StepSums step;
    const std::int64_t sentBefore = m_strategy->bytesSent();
    m_control.beginStep({m_position.step, m_position.epoch});
    for (std::int64_t batch = batches.first; batch + 1 < batches.last; ++batch) {
        const SlotRange range = plan.batch(batch);
        const SampleLosses losses = m_strategy->accumulate(nextTrainingBatch());
        step.add(losses);
        m_position.sums.add(losses, uniqueSlots(plan, rank, range));
    }
    const SlotRange range = plan.batch(batches.last - 1);
    const Batch batch = nextTrainingBatch();
    m_control.passed(Phase::kDataWait);
    ++m_position.step;
    m_replicas.beginStep({m_position.step, m_position.epoch});
    if (m_control.isShown(m_position.step)) m_replicas.lookNow(!m_control.isHeldSoon());
    if (isRankZero() && m_checkpoints.isTimedSaveDue(m_nowUs))
        m_agreement.post({ControlKind::kCheckpoint, RunControl::kOwnWish});
    const StepResult result = m_strategy->step(batch, {m_agreement.signal(), isLogged() && gradientNormIsDue()});
    m_pacer.endUpdate();

    m_parts.observer.progress().step.store(m_position.step, std::memory_order_relaxed);
    step.add(result.losses);
    if (batch.rows() == m_wholeBatch) reportTraffic(m_strategy->bytesSent() - sentBefore);
    m_position.sums.add(result.losses, uniqueSlots(plan, rank, range));
    m_indexReport.stepDone(m_position.epoch, m_position.step, static_cast<std::int64_t>(consumedBefore),
                           std::span(m_consumed).subspan(consumedBefore));
    const bool finite = std::isfinite(step.loss);
    if (isLogged() || !finite) reportStep(result, step);
    if (!finite) reportNonFinite(step.loss);
    if (ContributionWatch* watch = m_parts.communicator.contributions()) watch->endStep();
    m_replicas.endStep();
    if (const auto links = m_linkWatch.look(m_nowUs, [this] { return m_parts.communicator.links(); }))
        m_parts.observer.onEvent(*links);
    tellPace();
    // This belongs to the traced step: if no collective of the strategy follows the update, the ranks synchronise
    // here.
    const std::vector<ControlCommand> commands = m_agreement.conclude(result.signal);
    finishTrace();
    return m_control.endStep({m_position.step, m_position.epoch}, commands);
}

void Trainer::finishTrace() {
    if (!m_tracer.isTracing()) return;
    if (const StepTrace* trace = m_tracer.end()) m_parts.observer.onTrace(*trace);
    if (!isRankZero()) return;
    if (const std::optional<std::int64_t> steps = m_tracer.wantedInterval())
        m_agreement.post({ControlKind::kTraceEvery, static_cast<double>(*steps)});
}

// Throws TrainingError if the configured pace makes a backward pass or an all-reduce longer than half the timeout. A
// rank that exceeds the timeout within one phase is treated as hung.
void Trainer::checkPace() const {
    const PaceConfig& pace = m_parts.config.parallel.pace;
    const double most = m_parts.config.parallel.timeoutSeconds / 2;
    const DevicePace device(m_parts.config, m_task);
    const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; };
    const double backward =
        seconds(device.passNs(*m_model, LayerWatch::Work::kBackward, largestBatch(m_parts), 0, m_model->layerCount()));
    const LinkPace link{pace.gbitPerSecond, pace.latencyUs};
    std::int64_t bytes = 0;
    for (const Parameter* one : m_strategy->wholeParameters()) bytes += 4 * one->shape.count();
    const double moving =
        link.any() ? seconds(link.collectiveNs(CollectiveKind::kAllReduce, bytes, m_parts.communicator.size())) : 0;
    const auto refuse = [&](const char* field, const char* what, double lasts) {
        std::array<char, 96> text{};
        std::snprintf(text.data(), text.size(), "makes %s last %.3g s; the most is %.3g s", what, lasts, most);
        throw TrainingError(Problem{field, std::string(text.data()) + ", half of parallel.timeout_seconds",
                                    "raise it, or parallel.timeout_seconds"});
    };
    if (backward > most) refuse("parallel.pace.gflops", "a backward pass", backward);
    if (moving > most) refuse("parallel.pace.gbit_per_s", "the gradients' all-reduce", moving);
}

// Returns the number of parameters that this rank updates.
std::int64_t Trainer::ownParameters() const {
    const Mesh& mesh = m_layout.mesh;
    std::int64_t all = 0;
    for (const Parameter* one : m_strategy->wholeParameters()) all += one->shape.count();
    return all / std::max<std::int64_t>(1, mesh.shard * mesh.pipeline);
}

std::int64_t Trainer::trainingBatches() const {
    return valueOrThrow(ShardPlan::make(trainingSpec(m_parts, m_position.epoch))).stepsPerEpoch();
}

bool Trainer::hasEnoughSteps() const {
    const std::int64_t most = m_parts.config.training.maxSteps;
    return most > 0 && m_position.step >= most;
}

bool Trainer::isLogged() const {
    return m_position.step % m_parts.config.training.logEvery == 0;
}

// Measuring the norm reads all gradients once more: negligible for a step of a millisecond, but 1.4 % of the MLP's 25
// us. Long runs therefore measure it at most once per millisecond, unless the optimizer needs it anyway. Short runs
// measure it in every step, so that the curve is reproducible.
bool Trainer::gradientNormIsDue() {
    constexpr std::int64_t kLeastUs = 1000;
    constexpr std::int64_t kShortRun = 10'000;  // steps
    if (m_strategy->optimizer().rules().measuresNorm() || m_plannedSteps < kShortRun) return true;
    if (m_normUs && m_nowUs - *m_normUs < kLeastUs) return false;
    m_normUs = m_nowUs;
    return true;
}

Batch Trainer::nextTrainingBatch() {
    const PhaseScope scope(m_parts.observer.progress().phase, Phase::kDataWait);
    const std::int64_t from = m_parts.observer.nowUs();
    const Batch batch = m_trainingGatherer.next();
    m_nowUs = m_parts.observer.nowUs();
    m_dataUs += m_nowUs - from;
    m_parts.observer.progress().batches.fetch_add(1, std::memory_order_relaxed);
    m_consumed.insert(m_consumed.end(), m_trainingGatherer.indices().begin(), m_trainingGatherer.indices().end());
    return batch;
}

void Trainer::reportNonFinite(double loss) {
    const bool goOn = m_parts.config.training.onNonFinite == OnNonFinite::kContinue;
    if (!goOn) throwNonFinite(m_parts.communicator, lossText(loss));
    if (std::exchange(m_toldNonFinite, true)) return;
    m_parts.observer.onEvent(LogLine{m_parts.communicator.rank(), "warning",
                                     lossText(loss) + "; training goes on, as training.on_non_finite says",
                                     m_parts.observer.nowUs()});
}

void Trainer::StepSums::add(const SampleLosses& losses) {
    loss += sumOf(losses.loss);
    correct += sumOf(losses.correct);
    samples += losses.loss.size();
}

// The first step uses PyTorch's initial weights, so its message points to the data; later messages point to the
// learning rate.
std::string Trainer::lossText(double loss) const {
    std::array<char, 32> lr{};
    std::snprintf(lr.data(), lr.size(), "%g", m_parts.config.optimizer.lr);
    return "the loss of rank " + std::to_string(m_parts.communicator.rank()) + " is " +
           (std::isnan(loss) ? "not a number" : "infinite") + " at step " + std::to_string(m_position.step) +
           m_checkpoints.lastText() +
           (m_position.step == 1 ? ": look for values in the data set that are no numbers or far too large"
                                 : ": lower optimizer.lr (now " + std::string(lr.data()) + ")");
}

bool Trainer::validate() {
    if (!m_validationPlan) return true;
    m_parts.observer.onState("validating");
    m_strategy->beginEvaluation();
    MetricSums sums;
    m_validationGatherer.begin(*m_validationPlan, m_layout.dataRank(), m_position.epoch);
    const bool finished = evaluate(*m_validationPlan, sums);
    m_validationGatherer.end();
    if (finished) reportResult("val", sums);
    return finished;
}

bool Trainer::evaluate(const ShardPlan& plan, MetricSums& sums) {
    const std::int64_t between = batchesBetweenStopChecks(m_parts);
    Progress& progress = m_parts.observer.progress();
    for (std::int64_t step = 0; step < plan.stepsPerEpoch(); ++step) {
        if (step % between == between - 1 && !m_control.betweenBatches({m_position.step, m_position.epoch}))
            return false;
        const Batch batch = nextValidationBatch();
        progress.batches.fetch_add(1, std::memory_order_relaxed);
        const PhaseScope scope(progress.phase, Phase::kValidation);
        sums.add(m_strategy->evaluate(batch), uniqueSlots(plan, m_layout.dataRank(), plan.batch(step)));
    }
    return true;
}

Batch Trainer::nextValidationBatch() {
    const PhaseScope scope(m_parts.observer.progress().phase, Phase::kDataWait);
    return m_validationGatherer.next();
}

void Trainer::saveNow() {
    TrainingPosition here = m_position;
    if (!m_sumsReduced) here.sums.reduce(m_strategy->readers());
    m_checkpoints.save(here);
    m_parts.observer.onState(m_sumsReduced ? "validating" : "training");
}

RunControl::Actions Trainer::controlActions() {
    return {.setLearningRate =
                [this](double rate) {
                    m_schedule.setLearningRate(rate);
                    m_strategy->setLearningRate(rate);
                },
            .setEpochs = [this](std::int64_t epochs) { m_epochs = std::max(epochs, m_position.epoch + 1); },
            .saveCheckpoint = [this] { saveNow(); },
            .changed = [this] { m_checkpoints.setChanges(m_control.changes()); },
            .record = [this](std::int64_t steps) { m_tracer.record(steps); },
            .traceEvery = [this](std::int64_t steps) { m_tracer.setInterval(steps); },
            .replicas =
                [this](std::int64_t steps) {
                    if (const std::string why = m_replicas.request(steps); isRankZero() && !why.empty())
                        m_parts.observer.onEvent(LogLine{0, "warning", why, m_parts.observer.nowUs()});
                }};
}

// Scales training and validation samples by the statistics of the training samples. Called before the first epoch.
void Trainer::normalize() {
    if (!m_parts.config.loader.normalize) return;
    const PhaseScope scope(m_parts.observer.progress().phase, Phase::kDataWait);
    const ChannelScale scale = sharedChannelScale(*m_parts.data.training, m_parts.communicator);
    m_trainingGatherer.setScale(scale);
    m_validationGatherer.setScale(scale);
    m_checkpoints.setScale(scale);
    if (isRankZero()) m_parts.observer.onEvent(LogLine{0, "info", scaleText(scale), m_parts.observer.nowUs()});
}

void Trainer::logSmallShard(const ShardPlan& plan) {
    if (!isRankZero() || plan.spec().batchSize <= plan.samplesPerRank()) return;
    const std::string text = "loader.batch_size " + std::to_string(plan.spec().batchSize) +
                             " is larger than a rank's shard: each step trains all " +
                             std::to_string(plan.samplesPerRank()) + " samples of it";
    m_parts.observer.onEvent(LogLine{0, "info", text, m_parts.observer.nowUs()});
}

void Trainer::checkShard(const ShardPlan& plan) const {
    if (plan.stepsPerEpoch() > 0) return;
    const std::string perRank = std::to_string(plan.samplesPerRank());
    const std::string samples = std::to_string(plan.spec().datasetSize) + " training samples on " +
                                std::to_string(plan.spec().worldSize) + " ranks";
    if (plan.samplesPerRank() == 0)
        throw TrainingError(samples + " leave every rank an empty shard" +
                            (plan.spec().dropLast ? ": switch sampler.drop_last off or use fewer ranks"
                                                  : ": choose a data set with samples to train on"));
    throw TrainingError(samples + " give every rank " + perRank + ", fewer than one batch of " +
                        std::to_string(plan.spec().batchSize) +
                        ", and loader.drop_last drops it: lower loader.batch_size or switch loader.drop_last off");
}

}  // namespace ringside
