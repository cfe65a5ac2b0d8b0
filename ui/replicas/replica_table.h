// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replicas/ring_steps.h"
#include "replicas/step_contributions.h"
#include "tables/table_data.h"
#include "telemetry/data/replica_data.h"

namespace ringside {

// Returns the recorded values of a step. Each table row contains: kind of value ("own": local gradient of the rank,
// "mean": mean gradient of all ranks, "change": change of the weight), rank, tensor, row and column in the tensor,
// value.
TableData gradientTable(const InspectedStep& step);
// Returns the parts of all ranks after each step of the ring all-reduce of training step `step`. Each table row
// contains: step of the ring, rank, part, number of ranks whose values are in the sum, values.
TableData ringTable(const RingSteps& ring, std::int64_t step);
// Returns the contributions to a step, with one table row per rank: step, rank, share, cosine, norm, loss, samples, and
// whether the samples are "reported" by the rank or "planned".
TableData contributionTable(const StepContributions& contributions);
// Returns one table row for each step with recorded gradients and each rank: step, rank, norm of the local gradient,
// cosine similarity between the local gradient and the mean gradient.
TableData normTable(const ReplicaData& replicas);

}  // namespace ringside
