// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replicas/ring_steps.h"
#include "replicas/step_contributions.h"
#include "tables/table_data.h"
#include "telemetry/data/replica_data.h"

namespace ringside {

// Returns the recorded values of a step as rows: kind of value ("own" gradient of the rank, "mean" of the ranks or
// "change" of the weight), rank, tensor, row and column in the tensor, value.
TableData gradientTable(const InspectedStep& step);
// Returns the parts of all ranks after each step of the ring all-reduce as rows: step of the ring, rank, part, number
// of summed ranks, values.
TableData ringTable(const RingSteps& ring, std::int64_t step);
// Returns the contributions to a step as rows: rank, share, cosine, norm, loss, samples, and whether the rank reported
// the samples.
TableData contributionTable(const StepContributions& contributions);
// Returns a row for each inspected step and rank: step, rank, norm of the local gradient, cosine similarity between the
// local gradient and the mean gradient.
TableData normTable(const ReplicaData& replicas);

}  // namespace ringside
