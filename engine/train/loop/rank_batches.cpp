// SPDX-License-Identifier: Apache-2.0
#include "train/loop/rank_batches.h"

#include "train/parts/training_error.h"

namespace ringside {
namespace {

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

GathererParts gathererParts(const TrainerParts& parts, const DataShare& share, const Dataset& dataset,
                            BatchMemory& hostMemory) {
    const Problems problems = transformProblems(parts.config.loader, dataset.shape());
    if (!problems.empty()) throw TrainingError(problems.front());
    return {.dataset = dataset,
            .config = parts.config,
            .backend = parts.backend,
            .memory = parts.batchMemory != nullptr ? *parts.batchMemory : hostMemory,
            .maxBatch = share.plan().maxBatch,
            .training = &dataset == parts.data.training.get(),
            .changeIndices = changeIndices(parts, dataset)};
}

}  // namespace

RankBatches::RankBatches(const TrainerParts& parts, const DataShare& share)
    : m_hostMemory(makeHostMemory()),
      m_training(gathererParts(parts, share, *parts.data.training, *m_hostMemory), parts.observer),
      m_validation(parts, share, gathererParts(parts, share, validationOrTraining(parts.data), *m_hostMemory)) {}

void RankBatches::setScale(const ChannelScale& scale) {
    m_training.setScale(scale);
    m_validation.setScale(scale);
}

}  // namespace ringside
