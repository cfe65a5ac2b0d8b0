// SPDX-License-Identifier: Apache-2.0
#include "train/loop/rank_batches.h"

#include "train/interfaces/training_error.h"

namespace ringside {
namespace {

const Dataset& validationOrTraining(const DataSplit& data) {
    return data.validation ? *data.validation : *data.training;
}

// Returns the function by which a test replaces one sample index; empty outside of tests.
DataLoaderOptions::ChangeIndices changeIndices(const TrainerDependencies& dependencies, const Dataset& dataset) {
    const bool wanted = dependencies.wrongIndex && &dataset == dependencies.data.training.get() &&
                        dependencies.wrongIndex->sample < dataset.size();
    if (!wanted) return {};
    return [wrong = *dependencies.wrongIndex](std::int64_t epoch, std::int64_t firstSlot,
                                              std::span<std::int64_t> indices) {
        wrong.replaceIn(epoch, firstSlot, indices);
    };
}

BatchLoaderDependencies batchLoaderDependencies(const TrainerDependencies& dependencies, const DataShare& share,
                                                const Dataset& dataset, BatchMemory& hostMemory) {
    const Problems problems = transformProblems(dependencies.config.loader, dataset.shape());
    if (!problems.empty()) throw TrainingError(problems.front());
    return {.dataset = dataset,
            .config = dependencies.config,
            .backend = dependencies.backend,
            .memory = dependencies.batchMemory != nullptr ? *dependencies.batchMemory : hostMemory,
            .maxBatch = share.plan().maxBatch,
            .training = &dataset == dependencies.data.training.get(),
            .changeIndices = changeIndices(dependencies, dataset)};
}

}  // namespace

RankBatches::RankBatches(const TrainerDependencies& dependencies, const DataShare& share)
    : m_hostMemory(makeHostMemory()),
      m_training(batchLoaderDependencies(dependencies, share, *dependencies.data.training, *m_hostMemory),
                 dependencies.observer),
      m_validation(
          dependencies, share,
          batchLoaderDependencies(dependencies, share, validationOrTraining(dependencies.data), *m_hostMemory)) {}

void RankBatches::setScale(const ChannelScale& scale) {
    m_training.setScale(scale);
    m_validation.setScale(scale);
}

}  // namespace ringside
