// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/mesh.h"
#include "plan/strategy_plan.h"
#include "sampling/plan/shard_plan.h"
#include "train/interfaces/trainer_dependencies.h"

namespace ringside {

// Samples that one rank trains and validates, its position in the rank layout, and the plan of the run's strategy. The
// number of ranks is that of the communicator, not parallel.world_size of the configuration.
class DataShare {
  public:
    // `dependencies` must outlive this object. Throws Error if the configuration cannot be used with the data set.
    explicit DataShare(const TrainerDependencies& dependencies);

    const RankLayout& layout() const { return m_layout; }
    const PlanSubject& subject() const { return m_subject; }
    // Returns the plan of the run's strategy. The constructor makes the plan.
    const StrategyPlan& plan() const { return m_plan; }
    // Returns the plan that assigns an epoch's training samples to the data-parallel ranks.
    ShardPlan trainingPlan(std::int64_t epoch) const;
    // Returns the plan that assigns the validation samples to the ranks, as PyTorch's
    // DistributedSampler(shuffle=False): the last samples of a rank may be duplicates. Empty if there are no validation
    // samples.
    std::optional<ShardPlan> validationPlan() const;

  private:
    ShardSpec trainingSpec(std::int64_t epoch) const;

    const TrainerDependencies& m_dependencies;
    PlanSubject m_subject;
    StrategyPlan m_plan;
    RankLayout m_layout;
};

// Throws TrainingError if the plan gives a rank no batch at all.
void throwIfNoBatch(const ShardPlan& plan);
// Returns a warning for the log if loader.batch_size exceeds the number of samples of a rank; otherwise an empty text.
std::string smallShardWarning(const ShardPlan& plan);
// Returns the number of samples in this range of the rank's list that are not duplicates. Duplicates are always at the
// end of the list.
std::size_t countUniqueSlots(const ShardPlan& plan, int dataRank, SlotRange range);

}  // namespace ringside
