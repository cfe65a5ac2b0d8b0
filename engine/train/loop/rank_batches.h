// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "data/loading/batch_memory.h"
#include "train/batches/data_share.h"
#include "train/batches/training_batches.h"
#include "train/loop/validation.h"

namespace ringside {

// Training and validation batches of one rank, with the memory that their loaders share.
class RankBatches {
  public:
    // Throws TrainingError if the transforms of the loader's configuration cannot be applied to the samples. Both
    // arguments must outlive this object.
    RankBatches(const TrainerDependencies& dependencies, const DataShare& share);

    TrainingBatches& training() { return m_training; }
    Validation& validation() { return m_validation; }
    // Sets the mean and standard deviation of each image channel, by which training and validation samples are
    // normalized. Call before the first epoch.
    void setScale(const ChannelScale& scale);

  private:
    std::unique_ptr<BatchMemory> m_hostMemory;
    TrainingBatches m_training;
    Validation m_validation;
};

}  // namespace ringside
