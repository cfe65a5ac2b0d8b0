// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replicas/ring_steps.h"
#include "replicas/step_pulls.h"
#include "shards/scene/shard_table.h"
#include "telemetry/data/replica_data.h"

namespace ringside {

// The cells of a step: moment, rank, tensor, row, column, value.
ShardTable gradientTable(const LookedAtStep& step);
// The ring after each step: step, rank, part, ranks in the sum, the values.
ShardTable ringTable(const RingSteps& ring, std::int64_t step);
// Of a step: rank, part of the step that it gave, cosine, norm, loss, its samples and whether it told them.
ShardTable pullTable(const StepPulls& pulls);
// Of every step that was looked at: step, rank, norm of its own gradient, cosine to the mean.
ShardTable normTable(const ReplicaData& replicas);

}  // namespace ringside
