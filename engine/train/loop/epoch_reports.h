// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "nn/models/loss.h"
#include "nn/models/model.h"
#include "parallel/strategy/strategy.h"
#include "train/batches/data_share.h"
#include "train/checkpoint/checkpointer.h"
#include "train/parts/metric_sums.h"
#include "train/parts/trainer_dependencies.h"
#include "train/replicas/replica_probe.h"

namespace ringside {

// Reports of a rank at the start of a training and after each epoch. References passed to the constructor must outlive
// this object.
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

    // Reports the memory of this rank. Call after all buffers are allocated.
    void reportMemory() const;
    // Sums the results in `sums` over all ranks, stores the result in `sums` on each rank, and reports it on rank 0.
    // Collective.
    void reportResult(SplitKind split, MetricSums& sums, const TrainingPosition& position) const;
    // Reports the hash of the sample indices that this rank trained, and the checksum of its weights. Collective.
    void reportEpochEnd(std::span<const std::int64_t> trained, const TrainingPosition& position) const;
    // Reports the checksum of this rank's weights. Collective.
    void reportReplica(const TrainingPosition& position) const;

  private:
    std::int64_t predictedPeak() const;
    int rank() const { return m_dependencies.trainer.communicator.rank(); }

    Dependencies m_dependencies;
};

}  // namespace ringside
