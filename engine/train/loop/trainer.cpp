// SPDX-License-Identifier: Apache-2.0
#include "train/loop/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "nn/models/model_factory.h"
#include "train/interfaces/training_error.h"
#include "train/throttle/throttle_timeout.h"

namespace ringside {

namespace {

// Returns the number of optimizer steps in all epochs.
std::int64_t plannedSteps(const ShardPlan& plan, const TrainingConfig& training) {
    const std::int64_t perStep = training.accumulateSteps;
    return (plan.stepsPerEpoch() + perStep - 1) / perStep * training.epochs;
}

// Returns a text for the log, such as "images are normalized with mean 0.491 0.482 and standard deviation 0.247 0.243".
std::string scaleText(const ChannelScale& scale) {
    const auto list = [](const std::vector<float>& values) {
        std::string text;
        for (const float value : values) text += fmt::format(" {:.9g}", static_cast<double>(value));
        return text;
    };
    return "images are normalized with mean" + list(scale.mean) + " and standard deviation" + list(scale.deviation);
}

// Removes the stored changes of the number of epochs if the resumed run is configured with another number than the last
// change: the user has then set this number for the resumed run.
void dropReplacedEpochs(std::vector<ControlChange>& changes, std::int64_t epochs) {
    const auto setsEpochs = [](const ControlChange& change) { return change.kind == ControlKind::kEpochs; };
    const auto last = std::find_if(changes.rbegin(), changes.rend(), setsEpochs);
    if (last != changes.rend() && static_cast<std::int64_t>(last->value) != epochs) std::erase_if(changes, setsEpochs);
}

// Returns the interval at which paused ranks check for commands: an eighth of the collective timeout, at most 200 ms.
// The interval must be much shorter than the timeout, because the other ranks wait for rank 0 in a collective
// meanwhile.
std::chrono::microseconds pollInterval(const RunConfig& config) {
    return std::min(std::chrono::microseconds{200'000},
                    std::chrono::microseconds{static_cast<std::int64_t>(config.parallel.timeoutSeconds * 1e6 / 8)});
}

}  // namespace

Trainer::Trainer(const TrainerDependencies& dependencies)
    : m_dependencies(dependencies),
      m_share(m_dependencies),
      m_instruments(m_dependencies, m_share),
      m_model(makeModel()),
      m_loss(makeLoss()),
      m_strategy(makeStrategy()),
      m_schedule(dependencies.config.schedule, dependencies.config.scaledLearningRate(),
                 dependencies.config.training.epochs),
      m_data(m_dependencies, m_share),
      m_checkpoints(m_dependencies, *m_model, *m_strategy),
      m_control({.communicator = dependencies.communicator,
                 .source = dependencies.control,
                 .observer = dependencies.observer,
                 .pollInterval = pollInterval(dependencies.config)},
                controlActions()) {
    m_instruments.addObservers({*m_loss, *m_strategy, m_data.training(), m_checkpoints, m_control});
}

// Sets the memory limit before the model allocates its first tensor, so that the limit applies to the whole model.
std::unique_ptr<Model> Trainer::makeModel() const {
    constexpr double kMebibyte = 1 << 20;
    m_dependencies.backend.memory().setLimit(
        static_cast<std::int64_t>(m_dependencies.config.parallel.memoryLimitMb * kMebibyte));
    std::vector<Unit*> noUnits;
    auto model = ringside::makeModel(m_share.plan().layers, m_dependencies.backend, noUnits);
    if (!m_share.plan().holdsWholeModel()) {
        model->prepare(1, LayerRange{0, 0}, Model::Values::kBoundLater);
        return model;
    }
    model->prepare(m_share.plan().maxBatch);
    model->initialise(m_dependencies.config.training.seed);
    return model;
}

std::unique_ptr<Loss> Trainer::makeLoss() const {
    const Dataset& data = *m_dependencies.data.training;
    const bool isWhole = m_share.plan().holdsWholeModel();
    return valueOrThrow(ringside::makeLoss(m_dependencies.config.training.loss, data.classCount(), data.targetCount(),
                                           isWhole ? m_share.plan().maxBatch : 1, m_dependencies.backend,
                                           data.shape().labels()));
}

std::unique_ptr<Strategy> Trainer::makeStrategy() {
    StrategyDependencies dependencies{.model = *m_model,
                                      .loss = *m_loss,
                                      .communicator = m_dependencies.communicator,
                                      .backend = m_dependencies.backend,
                                      .interface = m_share.subject().interface,
                                      .plan = m_share.plan(),
                                      .phase = m_dependencies.observer.progress().phase};
    m_instruments.addCallbacksTo(dependencies);
    return valueOrThrow(ringside::makeStrategy(m_dependencies.config, dependencies));
}

TrainOutcome Trainer::run() {
    const PhaseScope scope(m_dependencies.observer.progress().phase, Phase::kIdle);
    prepare();
    const TrainingConfig& training = m_dependencies.config.training;
    while (m_position.epoch < m_epochs && !hasEnoughSteps()) {
        m_dependencies.observer.onState(RankStage::kTraining);
        m_strategy->setLearningRate(m_schedule.learningRate());
        if (!trainEpoch() || !validate()) {
            m_checkpoints.saveLast(m_position);
            return TrainOutcome::kStopped;
        }
        if (hasEnoughSteps() && m_position.batches < m_share.trainingPlan(m_position.epoch).stepsPerEpoch()) break;
        reports().reportEpochEnd(m_data.training().trainedIndices(), m_position);
        m_position = {.step = m_position.step, .epoch = m_position.epoch + 1};
        const bool due = training.checkpointEvery > 0 && m_position.epoch % training.checkpointEvery == 0;
        if (due && m_position.epoch < m_epochs) m_checkpoints.save(m_position);
        m_schedule.nextEpoch();
    }
    m_checkpoints.saveLast(m_position);
    return TrainOutcome::kFinished;
}

void Trainer::prepare() {
    const ShardPlan first = m_share.trainingPlan(0);
    throwIfNoBatch(first);
    if (const std::string small = smallShardWarning(first); isRankZero() && !small.empty()) log(LogLevel::kInfo, small);
    checkThrottleTimeout(m_dependencies, *m_model, m_share.plan().maxBatch);
    m_instruments.stepReport().setPlannedSteps(plannedSteps(first, m_dependencies.config.training));
    m_epochs = m_dependencies.config.training.epochs;
    resume();
    m_checkpoints.reserveSpace();
    normalize();
    m_strategy->synchronise();
    reports().reportWeightChecksum(m_position);
    reports().reportMemory();
}

void Trainer::resume() {
    m_position = m_checkpoints.resume();
    dropReplacedEpochs(m_position.changes, m_epochs);
    m_control.restoreChanges(m_position.changes);
    m_checkpoints.setControlChanges(m_position.changes);
    for (std::int64_t epoch = 0; epoch <= m_position.epoch; ++epoch) {
        if (epoch > 0) m_schedule.nextEpoch();
        for (const ControlChange& change : m_position.changes)
            if (change.kind == ControlKind::kLearningRate && change.epoch == epoch)
                m_schedule.setLearningRate(change.value);
    }
    m_dependencies.observer.progress().step.store(m_position.step, std::memory_order_relaxed);
}

// Normalizes training and validation samples with the mean and standard deviation of the training samples.
void Trainer::normalize() {
    if (!m_dependencies.config.loader.normalize) return;
    const PhaseScope scope(m_dependencies.observer.progress().phase, Phase::kDataWait);
    const ChannelScale scale = sharedChannelScale(*m_dependencies.data.training, m_dependencies.communicator);
    m_data.setScale(scale);
    m_checkpoints.setScale(scale);
    if (isRankZero()) log(LogLevel::kInfo, scaleText(scale));
}

bool Trainer::trainEpoch() {
    m_dependencies.observer.progress().epoch.store(m_position.epoch, std::memory_order_relaxed);
    const ShardPlan plan = m_share.trainingPlan(m_position.epoch);
    m_sumsReduced = false;
    m_data.training().begin(plan, m_share.layout().dataRank(), m_position.epoch, m_position.batches);
    const bool shouldResume = trainSteps(plan);
    m_data.training().end();
    if (shouldResume) {
        reports().reportResult(SplitKind::kTrain, m_position.sums, m_position);
    } else {
        m_position.sums.sumOverRanks(m_strategy->dataParallelGroup());
    }
    m_sumsReduced = true;
    return shouldResume;
}

bool Trainer::trainSteps(const ShardPlan& plan) {
    const std::int64_t batches = plan.stepsPerEpoch();
    const std::int64_t perStep = m_dependencies.config.training.accumulateSteps;
    bool shouldResume = true;
    while (shouldResume && m_position.batches < batches && !hasEnoughSteps()) {
        if (endsOneStepEarly(batches)) blockForever();
        const std::int64_t first = m_position.batches;
        m_position.batches = std::min(first + perStep, batches);
        shouldResume = trainStep(plan, {first, m_position.batches});
    }
    return shouldResume;
}

bool Trainer::trainStep(const ShardPlan& plan, BatchRange batches) {
    TrainingBatches& data = m_data.training();
    StepObservers& observers = m_instruments.steps();
    const StepPosition position{m_position.step + 1, m_position.epoch};
    const std::size_t firstSlot = data.trainedIndices().size();
    StepSums sums;
    observers.beginStep(position);
    for (std::int64_t batch = batches.first; batch + 1 < batches.last; ++batch) {
        const SampleLosses losses = m_strategy->accumulate(data.next());
        if (!m_strategy->canRunAhead()) countSamples(plan, batch, losses, sums);
    }
    const Batch last = data.next();
    observers.phaseEnded(Phase::kDataWait);
    const StepRequest request{m_control.hasPendingCommands(), m_instruments.stepReport().measuresNorm(position.step)};
    const LaunchedStep step{.position = position,
                            .firstSlot = static_cast<std::int64_t>(firstSlot),
                            .indices = data.trainedIndices().subspan(firstSlot),
                            .batches = batches,
                            .lastRows = last.rows(),
                            .readyUs = data.readyUs(),
                            .sums = sums};
    if (m_strategy->canRunAhead()) {
        launchStep(plan, last, request, step);
    } else {
        const StepResult result = m_strategy->step(last, request);
        observers.phaseEnded(Phase::kOptimizer);
        m_position.step = position.step;
        finishStep(plan, step, result);
    }
    return m_control.executeAfterStep();
}

void Trainer::launchStep(const ShardPlan& plan, const Batch& batch, StepRequest request, const LaunchedStep& step) {
    m_strategy->launch(batch, request);
    m_instruments.steps().phaseEnded(Phase::kOptimizer);
    m_position.step = step.position.step;
    if (m_inFlight) readStep(plan, *m_inFlight);
    m_inFlight = step;
    if (mayRunAhead(plan)) return;
    readStep(plan, *m_inFlight);
    m_inFlight.reset();
}

void Trainer::readStep(const ShardPlan& plan, LaunchedStep step) {
    std::int64_t batch = step.batches.first;
    const StepResult result =
        m_strategy->results([&](const SampleLosses& losses) { countSamples(plan, batch++, losses, step.sums); });
    finishStep(plan, step, result);
}

// True if the next step may be launched before the results of the current step are read. False before a pause, a
// command, a traced or single step, and the end of the epoch: the results of all launched steps are read first, so that
// a checkpoint contains the sums of all steps.
bool Trainer::mayRunAhead(const ShardPlan& plan) const {
    const bool hasNext = m_position.batches < plan.stepsPerEpoch() && !hasEnoughSteps();
    return hasNext && m_control.mayRunAhead() && m_instruments.mayRunAhead(m_position.step + 1) &&
           !m_dependencies.config.stepPitfalls.earlyExit;
}

void Trainer::finishStep(const ShardPlan& plan, LaunchedStep step, const StepResult& result) {
    countSamples(plan, step.batches.last - 1, result.losses, step.sums);
    m_instruments.steps().endStep({.position = step.position,
                                   .firstSlot = step.firstSlot,
                                   .indices = step.indices,
                                   .lastRows = step.lastRows,
                                   .readyUs = step.readyUs,
                                   .sums = step.sums,
                                   .gradientNorm = result.gradientNorm,
                                   .controlSignal = result.signal});
}

void Trainer::countSamples(const ShardPlan& plan, std::int64_t batch, const SampleLosses& losses, StepSums& sums) {
    sums.add(losses);
    m_position.sums.add(losses, countUniqueSlots(plan, m_share.layout().dataRank(), plan.batch(batch)));
}

bool Trainer::validate() {
    if (!m_data.validation().hasSamples()) return true;
    m_dependencies.observer.onState(RankStage::kValidating);
    std::optional<MetricSums> sums =
        m_data.validation().evaluate(*m_strategy, m_control, {m_position.step, m_position.epoch});
    if (sums) reports().reportResult(SplitKind::kValidation, *sums, m_position);
    return sums.has_value();
}

void Trainer::saveCheckpoint() {
    TrainingPosition here = m_position;
    if (!m_sumsReduced) here.sums.sumOverRanks(m_strategy->dataParallelGroup());
    m_checkpoints.save(here);
    m_dependencies.observer.onState(m_sumsReduced ? RankStage::kValidating : RankStage::kTraining);
}

RunControl::Actions Trainer::controlActions() {
    return {.setLearningRate =
                [this](double rate) {
                    m_schedule.setLearningRate(rate);
                    m_strategy->setLearningRate(rate);
                },
            .setEpochs = [this](std::int64_t epochs) { return m_epochs = std::max(epochs, m_position.epoch + 1); },
            .saveCheckpoint = [this] { saveCheckpoint(); },
            .changed = [this] { m_checkpoints.setControlChanges(m_control.changes()); },
            .record = [this](std::int64_t steps) { m_instruments.tracer().recordSteps(steps); },
            .traceEvery = [this](std::int64_t steps) { m_instruments.tracer().setInterval(steps); },
            .replicas =
                [this](std::int64_t steps) {
                    const std::string why = m_instruments.replicaProbe().requestSteps(steps);
                    if (isRankZero() && !why.empty()) log(LogLevel::kWarning, why);
                }};
}

// True if pitfalls.early_exit ends the training loop of the last rank one step before the other ranks, as if this rank
// had fewer batches.
bool Trainer::endsOneStepEarly(std::int64_t batches) const {
    if (!m_dependencies.config.stepPitfalls.earlyExit || m_dependencies.communicator.size() == 1) return false;
    if (m_dependencies.communicator.rank() != m_dependencies.communicator.size() - 1) return false;
    return m_position.batches + m_dependencies.config.training.accumulateSteps >= batches;
}

// Blocks forever without taking part in any collective, until the supervisor ends the process.
void Trainer::blockForever() {
    log(LogLevel::kWarning, "pitfalls.early_exit: rank " + std::to_string(m_dependencies.communicator.rank()) +
                                " stops after step " + std::to_string(m_position.step) +
                                ", one step before the other ranks, whose next all-reduce waits for it");
    m_dependencies.observer.onState(RankStage::kLeftEarly);
    const PhaseScope scope(m_dependencies.observer.progress().phase, Phase::kIdle);
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

bool Trainer::hasEnoughSteps() const {
    const std::int64_t most = m_dependencies.config.training.maxSteps;
    return most > 0 && m_position.step >= most;
}

void Trainer::log(LogLevel level, const std::string& text) {
    m_dependencies.observer.onEvent(
        LogLine{m_dependencies.communicator.rank(), level, text, m_dependencies.observer.nowUs()});
}

EpochReports Trainer::reports() {
    return EpochReports({m_dependencies, m_share, *m_model, *m_loss, *m_strategy, m_instruments.replicaProbe()});
}

}  // namespace ringside
