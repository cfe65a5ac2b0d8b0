// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sampling/plan/shard_plan.h"
#include "train/batches/batch_loader.h"
#include "train/interfaces/trainer_observer.h"

namespace ringside {

// Training batches of one rank. Also records the samples of the current epoch and the time spent waiting for batches.
class TrainingBatches {
  public:
    // `observer` and the references in `dependencies` must outlive this object.
    TrainingBatches(const BatchLoaderDependencies& dependencies, TrainerObserver& observer)
        : m_gatherer(dependencies), m_observer(observer) {}

    // Sets the mean and standard deviation of each image channel, by which samples are normalized. Call before the
    // first epoch.
    void setScale(const ChannelScale& scale) { m_gatherer.setScale(scale); }

    // Starts an epoch at batch `firstBatch`. The samples of earlier batches are recorded as trained already.
    void begin(const ShardPlan& plan, int dataRank, std::int64_t epoch, std::int64_t firstBatch);
    // Blocks until the next batch is ready. The batch is valid until the next call of next() or end().
    Batch next();
    void end() { m_gatherer.end(); }

    // Returns the dataset indices of the samples in the current epoch up to the last batch, in order.
    std::span<const std::int64_t> trainedIndices() const { return m_trained; }
    // Returns the time at which the last batch was ready, in microseconds since the start of the run.
    std::int64_t readyUs() const { return m_readyUs; }
    // Returns the time that next() has waited for batches since the last call of takeWaitUs(), in microseconds.
    std::int64_t takeWaitUs() { return std::exchange(m_waitUs, 0); }

  private:
    BatchLoader m_gatherer;
    TrainerObserver& m_observer;
    std::vector<std::int64_t> m_trained;
    std::int64_t m_waitUs = 0;
    std::int64_t m_readyUs = 0;
};

}  // namespace ringside
