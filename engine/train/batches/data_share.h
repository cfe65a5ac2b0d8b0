// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/mesh.h"
#include "plan/strategy_plan.h"
#include "sampling/plan/shard_plan.h"
#include "train/parts/trainer_parts.h"

namespace ringside {

// Plan of the run's strategy, position of a rank in the mesh, and its share of the samples. The communicator's size is
// the number of ranks; it overrides the configuration.
class DataShare {
  public:
    // `parts` must outlive this object. Throws Error if the configuration and the data set do not fit together.
    explicit DataShare(const TrainerDependencies& parts);

    const RankLayout& layout() const { return m_layout; }
    const PlanSubject& subject() const { return m_subject; }
    // Returns the plan, which is made once, by the constructor.
    const StrategyPlan& plan() const { return m_plan; }
    // Returns the plan of an epoch's training samples, for all data-parallel ranks.
    ShardPlan trainingPlan(std::int64_t epoch) const;
    // Returns the plan of DistributedSampler(shuffle=False): each rank evaluates its share; the last slots may be
    // duplicates. Empty without validation samples.
    std::optional<ShardPlan> validationPlan() const;

  private:
    ShardSpec trainingSpec(std::int64_t epoch) const;

    const TrainerDependencies& m_parts;
    PlanSubject m_subject;
    StrategyPlan m_plan;
    RankLayout m_layout;
};

// Throws TrainingError if the assignment of the samples leaves a rank without a batch.
void checkShard(const ShardPlan& plan);
// Returns a log line if a batch is larger than a rank's share; empty in all other cases.
std::string smallShardText(const ShardPlan& plan);
// Returns the number of slots in the range without duplicates, which are always last.
std::size_t uniqueSlots(const ShardPlan& plan, int dataRank, SlotRange range);

}  // namespace ringside
