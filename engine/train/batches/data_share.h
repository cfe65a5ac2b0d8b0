// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/mesh.h"
#include "plan/strategy_plan.h"
#include "sampling/plan/shard_plan.h"
#include "train/parts/trainer_dependencies.h"

namespace ringside {

// Plan of the run's strategy, position of a rank in the mesh, and the samples that the rank trains and validates. The
// communicator's size overrides the number of ranks in the configuration.
class DataShare {
  public:
    // `dependencies` must outlive this object. Throws Error if the configuration and the data set do not fit together.
    explicit DataShare(const TrainerDependencies& dependencies);

    const RankLayout& layout() const { return m_layout; }
    const PlanSubject& subject() const { return m_subject; }
    // Returns the plan of the run's strategy, which the constructor makes.
    const StrategyPlan& plan() const { return m_plan; }
    // Returns the plan by which an epoch's training samples are assigned to all data-parallel ranks.
    ShardPlan trainingPlan(std::int64_t epoch) const;
    // Returns the plan by which validation samples are assigned to ranks, as PyTorch's
    // DistributedSampler(shuffle=False): each rank evaluates its share; the last samples of a rank may be duplicates.
    // Empty without validation samples.
    std::optional<ShardPlan> validationPlan() const;

  private:
    ShardSpec trainingSpec(std::int64_t epoch) const;

    const TrainerDependencies& m_dependencies;
    PlanSubject m_subject;
    StrategyPlan m_plan;
    RankLayout m_layout;
};

// Throws TrainingError if the assignment of the samples leaves a rank without a batch.
void throwIfNoBatch(const ShardPlan& plan);
// Returns a line for the log if a batch is larger than a rank's share of the samples; otherwise an empty text.
std::string smallShardWarning(const ShardPlan& plan);
// Returns the number of positions of the range whose samples are not duplicates. Duplicates are always last.
std::size_t countUniqueSlots(const ShardPlan& plan, int dataRank, SlotRange range);

}  // namespace ringside
