// SPDX-License-Identifier: Apache-2.0
#include "train/batches/data_share.h"

#include <string>

#include "nn/models/model_factory.h"
#include "sampling/plan/epoch_spec.h"
#include "train/interfaces/training_error.h"

namespace ringside {
namespace {

PlanSubject subjectOf(const TrainerDependencies& dependencies) {
    RunConfig config = dependencies.config;
    config.parallel.worldSize = dependencies.communicator.size();
    return valueOrThrow(planSubject(config, dependencies.data));
}

}  // namespace

DataShare::DataShare(const TrainerDependencies& dependencies)
    : m_dependencies(dependencies),
      m_subject(subjectOf(dependencies)),
      m_plan(valueOrThrow(planStrategy(m_subject, takesChannelBlocks(m_subject.model, dependencies.backend)))),
      m_layout{m_plan.mesh, dependencies.communicator.rank()} {}

ShardSpec DataShare::trainingSpec(std::int64_t epoch) const {
    ShardSpec spec = epochSpec(m_dependencies.config, m_dependencies.data.training, epoch);
    spec.worldSize = m_layout.dataRankCount();
    return spec;
}

ShardPlan DataShare::trainingPlan(std::int64_t epoch) const {
    return valueOrThrow(ShardPlan::make(trainingSpec(epoch)));
}

std::optional<ShardPlan> DataShare::validationPlan() const {
    if (!m_dependencies.data.validation || m_dependencies.data.validation->size() == 0) return std::nullopt;
    return valueOrThrow(ShardPlan::make({.datasetSize = m_dependencies.data.validation->size(),
                                         .worldSize = m_layout.dataRankCount(),
                                         .shuffle = false,
                                         .batchSize = m_dependencies.config.loader.batchSize}));
}

void throwIfNoBatch(const ShardPlan& plan) {
    if (plan.stepsPerEpoch() > 0) return;
    const std::string perRank = std::to_string(plan.samplesPerRank());
    const std::string samples = std::to_string(plan.spec().datasetSize) + " training samples on " +
                                std::to_string(plan.spec().worldSize) + " ranks";
    if (plan.samplesPerRank() == 0)
        throw TrainingError(samples + " leave every rank with an empty shard" +
                            (plan.spec().dropLast ? ": switch sampler.drop_last off or use fewer ranks"
                                                  : ": choose a data set with samples to train on"));
    throw TrainingError(samples + " give every rank " + perRank + ", fewer than one batch of " +
                        std::to_string(plan.spec().batchSize) +
                        ", and loader.drop_last drops it: lower loader.batch_size or switch loader.drop_last off");
}

std::string smallShardWarning(const ShardPlan& plan) {
    if (plan.spec().batchSize <= plan.samplesPerRank()) return {};
    return "loader.batch_size " + std::to_string(plan.spec().batchSize) +
           " is larger than a rank's shard: each step trains on all " + std::to_string(plan.samplesPerRank()) +
           " samples of the shard";
}

std::size_t countUniqueSlots(const ShardPlan& plan, int dataRank, SlotRange range) {
    std::int64_t unique = range.count;
    while (unique > 0 && plan.isPadded(dataRank, range.first + unique - 1)) --unique;
    return static_cast<std::size_t>(unique);
}

}  // namespace ringside
