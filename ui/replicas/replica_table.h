// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replicas/ring_steps.h"
#include "replicas/step_contributions.h"
#include "tables/table_data.h"
#include "telemetry/data/replica_data.h"

namespace ringside {

// Returns the cells of a step as rows: moment, rank, tensor, row, column, value.
TableData gradientTable(const InspectedStep& step);
// Returns the parts of all ranks after each step of the ring all-reduce as rows: step of the ring, rank, part, number
// of summed ranks, values.
TableData ringTable(const RingSteps& ring, std::int64_t step);
// Returns the contributions to a step as rows: rank, share, cosine, norm, loss, samples, and whether the rank reported
// the samples.
TableData contributionTable(const StepContributions& contributions);
// Returns every inspected step as rows: step, rank, norm of the local gradient, cosine to the mean.
TableData normTable(const ReplicaData& replicas);

}  // namespace ringside
