// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/sha256.h"
#include "model/model_description.h"
#include "nn/model_factory.h"
#include "sampling/plan_sentences.h"
#include "train/checkpoint.h"
#include "train/training_error.h"

namespace ringside {

namespace {

// Validation has no step boundary to carry a stop, so the ranks ask one another this often.
constexpr std::int64_t kBatchesBetweenStopChecks = 32;

ShardSpec trainingSpec(const TrainerParts& parts, std::int64_t epoch) {
    ShardSpec spec = epochSpec(parts.config, parts.data.training, epoch);
    spec.worldSize = parts.communicator.size();
    return spec;
}

// DistributedSampler(shuffle=False): every rank evaluates its share, the last slots may be duplicates.
std::optional<ShardPlan> validationPlan(const TrainerParts& parts) {
    if (!parts.data.validation || parts.data.validation->size() == 0) return std::nullopt;
    return valueOrThrow(ShardPlan::make({.datasetSize = parts.data.validation->size(),
                                         .worldSize = parts.communicator.size(),
                                         .shuffle = false,
                                         .batchSize = parts.config.loader.batchSize}));
}

std::int64_t samplesPerRank(const Dataset* dataset, int ranks) {
    return dataset ? (dataset->size() + ranks - 1) / ranks : 0;
}

// The largest batch that can occur: no memory is spent on more, however large loader.batch_size is.
std::int64_t largestBatch(const TrainerParts& parts) {
    const int ranks = parts.communicator.size();
    const std::int64_t share = std::max({shardNumbers(trainingSpec(parts, 0)).samplesPerRank,
                                         samplesPerRank(parts.data.validation.get(), ranks), std::int64_t{1}});
    return std::min(parts.config.loader.batchSize, share);
}

std::unique_ptr<Model> preparedModel(const TrainerParts& parts) {
    const Dataset& data = *parts.data.training;
    const Shape sample = modelInput(data.shape());
    auto model = valueOrThrow(makeModel(parts.config.model, sample, modelOutputs(data), parts.backend));
    valueOrThrow(model->prepare(sample, largestBatch(parts)));
    model->initialise(parts.config.training.seed);
    return model;
}

std::unique_ptr<Loss> lossFor(const TrainerParts& parts) {
    const Dataset& data = *parts.data.training;
    return valueOrThrow(makeLoss(parts.config.training.loss, data.classCount(), data.targetCount(), largestBatch(parts),
                                 parts.backend));
}

const Dataset& validationOrTraining(const DataSplit& data) {
    return data.validation ? *data.validation : *data.training;
}

// Slots of the range that hold no duplicate; duplicates come last.
std::size_t uniqueSlots(const ShardPlan& plan, int rank, SlotRange range) {
    std::int64_t unique = range.count;
    while (unique > 0 && plan.isPadded(rank, range.first + unique - 1)) --unique;
    return static_cast<std::size_t>(unique);
}

std::string hashOf(std::span<const std::int64_t> indices) {
    Sha256 sum;
    sum.add(std::as_bytes(indices));
    return sum.hex();
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts)
    : m_parts(parts),
      m_model(preparedModel(parts)),
      m_loss(lossFor(parts)),
      m_strategy(valueOrThrow(makeStrategy(
          parts.config, {*m_model, *m_loss, parts.communicator, parts.backend, parts.observer.progress().phase}))),
      m_schedule(parts.config.schedule, parts.config.scaledLearningRate(), parts.config.training.epochs),
      m_trainingGatherer(*parts.data.training, parts.backend, largestBatch(parts)),
      m_validationGatherer(validationOrTraining(parts.data), parts.backend, largestBatch(parts)),
      m_validationPlan(validationPlan(parts)),
      m_indices(static_cast<std::size_t>(largestBatch(parts))) {}

TrainOutcome Trainer::run() {
    checkShard(valueOrThrow(ShardPlan::make(trainingSpec(m_parts, 0))));
    m_strategy->synchronise();
    const TrainingConfig& training = m_parts.config.training;
    for (std::int64_t epoch = 0; epoch < training.epochs; ++epoch) {
        m_parts.observer.onState("training");
        m_strategy->setLearningRate(m_schedule.learningRate());
        if (!trainEpoch(epoch)) {
            save(epoch);
            return TrainOutcome::kStopped;
        }
        if (!validate(epoch)) {
            save(epoch + 1);
            return TrainOutcome::kStopped;
        }
        reportEpochEnd(epoch);
        if (training.checkpointEvery > 0 && (epoch + 1) % training.checkpointEvery == 0) save(epoch + 1);
        m_schedule.nextEpoch();
    }
    save(training.epochs);
    return TrainOutcome::kFinished;
}

bool Trainer::trainEpoch(std::int64_t epoch) {
    m_parts.observer.progress().epoch.store(epoch, std::memory_order_relaxed);
    const ShardPlan plan = valueOrThrow(ShardPlan::make(trainingSpec(m_parts, epoch)));
    m_consumed.clear();
    m_consumed.reserve(static_cast<std::size_t>(plan.samplesPerRank()));
    MetricSums sums;
    const std::int64_t batches = plan.stepsPerEpoch();
    const std::int64_t perStep = m_parts.config.training.accumulateSteps;
    for (std::int64_t first = 0; first < batches; first += perStep)
        if (!trainStep(plan, epoch, {first, std::min(first + perStep, batches)}, sums)) return false;
    reportResult(epoch, "train", sums);
    return true;
}

bool Trainer::trainStep(const ShardPlan& plan, std::int64_t epoch, BatchRange batches, MetricSums& sums) {
    const int rank = m_parts.communicator.rank();
    StepSums step;
    for (std::int64_t batch = batches.first; batch + 1 < batches.last; ++batch) {
        const SlotRange range = plan.batch(batch);
        const SampleLosses losses = m_strategy->accumulate(nextTrainingBatch(plan, range));
        step.add(losses);
        sums.add(losses, uniqueSlots(plan, rank, range));
    }
    const SlotRange range = plan.batch(batches.last - 1);
    const Batch batch = nextTrainingBatch(plan, range);
    const StepResult result = m_strategy->step(batch, static_cast<int>(m_parts.control.pending()));

    m_parts.observer.progress().step.store(++m_step, std::memory_order_relaxed);
    step.add(result.losses);
    sums.add(result.losses, uniqueSlots(plan, rank, range));
    const bool finite = std::isfinite(step.loss);
    if (m_step % m_parts.config.training.logEvery == 0 || !finite) reportStep(epoch, result, step);
    if (!finite) throw TrainingError(lossText(step.loss));
    return result.control != static_cast<int>(ControlCode::kStop);
}

Batch Trainer::nextTrainingBatch(const ShardPlan& plan, SlotRange range) {
    m_parts.observer.progress().phase.store("data", std::memory_order_relaxed);
    const Batch batch = nextBatch(m_trainingGatherer, plan, range);
    m_parts.observer.progress().batches.fetch_add(1, std::memory_order_relaxed);
    m_consumed.insert(m_consumed.end(), m_indices.begin(), m_indices.begin() + range.count);
    return batch;
}

void Trainer::StepSums::add(const SampleLosses& losses) {
    loss += sumOf(losses.loss);
    correct += sumOf(losses.correct);
    samples += losses.loss.size();
}

// In the first step the weights are still PyTorch's initial ones, so the data is to blame.
std::string Trainer::lossText(double loss) const {
    std::array<char, 32> lr{};
    std::snprintf(lr.data(), lr.size(), "%g", m_parts.config.optimizer.lr);
    return "the loss of rank " + std::to_string(m_parts.communicator.rank()) + " is " +
           (std::isnan(loss) ? "not a number" : "infinite") + " at step " + std::to_string(m_step) +
           (m_step == 1 ? ": look for values in the data set that are no numbers or far too large"
                        : ": lower optimizer.lr (now " + std::string(lr.data()) + ")");
}

bool Trainer::validate(std::int64_t epoch) {
    if (!m_validationPlan) return true;
    m_parts.observer.onState("validating");
    Progress& progress = m_parts.observer.progress();
    MetricSums sums;
    for (std::int64_t step = 0; step < m_validationPlan->stepsPerEpoch(); ++step) {
        if (step % kBatchesBetweenStopChecks == kBatchesBetweenStopChecks - 1 && stopAgreed()) return false;
        const SlotRange range = m_validationPlan->batch(step);
        progress.phase.store("data", std::memory_order_relaxed);
        const Batch batch = nextBatch(m_validationGatherer, *m_validationPlan, range);
        progress.batches.fetch_add(1, std::memory_order_relaxed);
        progress.phase.store("validation", std::memory_order_relaxed);
        sums.add(m_strategy->evaluate(batch), uniqueSlots(*m_validationPlan, m_parts.communicator.rank(), range));
    }
    reportResult(epoch, "val", sums);
    return true;
}

// Rank 0's control code reaches all ranks between the same two batches.
bool Trainer::stopAgreed() {
    std::int64_t code = isRankZero() ? static_cast<std::int64_t>(m_parts.control.pending()) : 0;
    m_parts.communicator.allReduce(CommBuffer::of(std::span(&code, 1)), ReduceOp::kMaximum);
    return code == static_cast<std::int64_t>(ControlCode::kStop);
}

void Trainer::save(std::int64_t epochsDone) {
    if (!isRankZero() || m_parts.runDirectory.empty() || m_savedStep == m_step) return;
    m_parts.observer.onState("saving");
    m_parts.observer.progress().phase.store("save", std::memory_order_relaxed);
    const std::string path = writeCheckpoint(m_parts.runDirectory, {m_step, epochsDone, m_model->describe()},
                                             m_model->parameters(), m_parts.backend);
    m_savedStep = m_step;
    m_parts.observer.onEvent(CheckpointSaved{m_step, path, m_parts.observer.nowUs()});
}

Batch Trainer::nextBatch(BatchGatherer& gatherer, const ShardPlan& plan, SlotRange range) {
    const std::span<std::int64_t> indices = std::span(m_indices).first(static_cast<std::size_t>(range.count));
    for (std::size_t i = 0; i < indices.size(); ++i)
        indices[i] = plan.index(m_parts.communicator.rank(), range.first + static_cast<std::int64_t>(i));
    return gatherer.gather(indices);
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

void Trainer::reportStep(std::int64_t epoch, const StepResult& result, const StepSums& sums) {
    StepRecord record;
    record.epoch = epoch;
    record.step = m_step;
    record.loss = sums.meanLoss();
    record.correct = m_loss->countsCorrect() ? static_cast<std::int64_t>(sums.correct) : -1;
    record.samples = static_cast<std::int64_t>(sums.samples);
    record.endUs = m_parts.observer.nowUs();
    record.gradientNorm = result.gradientNorm;
    record.learningRate = m_strategy->learningRate();
    m_parts.observer.onStep(record);
}

void Trainer::reportResult(std::int64_t epoch, const char* split, MetricSums& sums) {
    sums.reduce(m_parts.communicator);
    if (!isRankZero()) return;
    const double none = std::nan("");
    const bool hits = m_loss->countsCorrect();
    m_parts.observer.onEvent(EpochResult{.epoch = epoch,
                                         .split = split,
                                         .loss = sums.loss(),
                                         .accuracy = hits ? sums.accuracy() : none,
                                         .samples = sums.samples(),
                                         .lossPadded = sums.lossPadded(),
                                         .accuracyPadded = hits ? sums.accuracyPadded() : none,
                                         .samplesPadded = sums.samplesPadded(),
                                         .step = m_step,
                                         .timeUs = m_parts.observer.nowUs()});
}

void Trainer::reportEpochEnd(std::int64_t epoch) {
    const int rank = m_parts.communicator.rank();
    m_parts.observer.onEvent(Consumed{rank, epoch, static_cast<std::int64_t>(m_consumed.size()), hashOf(m_consumed)});
    m_parts.observer.onEvent(Replica{rank, m_step, parameterChecksum(m_model->parameters(), m_parts.backend)});
}

}  // namespace ringside
