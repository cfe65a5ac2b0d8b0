// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "nn/models/loss.h"
#include "nn/models/model.h"
#include "parallel/strategy/strategy.h"
#include "train/batches/data_share.h"
#include "train/checkpoint/checkpointer.h"
#include "train/interfaces/metric_sums.h"
#include "train/interfaces/trainer_dependencies.h"
#include "train/replicas/replica_probe.h"

namespace ringside {

// Sends the reports of a rank at the start of the training and after each epoch. References passed to the constructor
// must outlive this object.
class EpochReports {
  public:
    struct Dependencies {
        const TrainerDependencies& trainer;
        const DataShare& share;
        const Model& model;
        const Loss& loss;
        Strategy& strategy;
        const ReplicaProbe& replicas;
    };
    explicit EpochReports(const Dependencies& dependencies) : m_dependencies(dependencies) {}

    // Reports how much memory this rank has allocated. Call after all buffers are allocated.
    void reportMemory() const;
    // Adds up `sums` over all ranks, and stores the total in `sums` on each rank. Rank 0 reports the total. Collective.
    void reportResult(SplitKind split, MetricSums& sums, const TrainingPosition& position) const;
    // Reports the hash of the sample indices that this rank has trained in the epoch, and the checksum of its weights.
    // Collective.
    void reportEpochEnd(std::span<const std::int64_t> trained, const TrainingPosition& position) const;
    // Reports the checksum of this rank's weights. Collective.
    void reportWeightChecksum(const TrainingPosition& position) const;

  private:
    std::int64_t predictedPeak() const;
    int rank() const { return m_dependencies.trainer.communicator.rank(); }

    Dependencies m_dependencies;
};

}  // namespace ringside
