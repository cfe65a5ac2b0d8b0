// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "replicas/ring_steps.h"
#include "replicas/step_contributions.h"
#include "tables/table_data.h"
#include "telemetry/data/replica_data.h"

namespace ringside {

// Cells of a step: moment, rank, tensor, row, column, value.
TableData gradientTable(const InspectedStep& step);
// The ring after each of its steps: step, rank, part, number of summed ranks, values.
TableData ringTable(const RingSteps& ring, std::int64_t step);
// Contributions to a step: rank, share, cosine, norm, loss, samples, and whether the rank reported the samples.
TableData contributionTable(const StepContributions& contributions);
// Every inspected step: step, rank, norm of the local gradient, cosine to the mean.
TableData normTable(const ReplicaData& replicas);

}  // namespace ringside
