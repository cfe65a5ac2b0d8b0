// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/mesh.h"
#include "model/model_description.h"
#include "sampling/plan/shard_plan.h"
#include "train/parts/trainer_parts.h"

namespace ringside {

// Position of a rank in the mesh, its share of the samples, and their shape. The communicator's size is the number of
// ranks; it overrides the configuration.
class DataShare {
  public:
    // `parts` must outlive this object. Throws Error if the configuration and the data set do not fit together.
    explicit DataShare(const TrainerParts& parts);

    const RankLayout& layout() const { return m_layout; }
    const ModelTask& task() const { return m_task; }
    // Returns the largest batch that can occur, in samples. It bounds the memory even if loader.batch_size is larger.
    std::int64_t largestBatch() const { return m_largestBatch; }
    // Returns the plan of an epoch's training samples, for all data-parallel ranks.
    ShardPlan trainingPlan(std::int64_t epoch) const;
    // Returns the plan of DistributedSampler(shuffle=False): each rank evaluates its share; the last slots may be
    // duplicates. Empty without validation samples.
    std::optional<ShardPlan> validationPlan() const;

  private:
    ShardSpec trainingSpec(std::int64_t epoch) const;

    const TrainerParts& m_parts;
    RankLayout m_layout;
    ModelTask m_task;
    std::int64_t m_largestBatch = 1;
};

// Throws TrainingError if the plan leaves a rank without a batch.
void checkShard(const ShardPlan& plan);
// Returns a log line if a batch is larger than a rank's share; empty in all other cases.
std::string smallShardText(const ShardPlan& plan);
// Returns the number of slots in the range without duplicates, which are always last.
std::size_t uniqueSlots(const ShardPlan& plan, int dataRank, SlotRange range);

}  // namespace ringside
