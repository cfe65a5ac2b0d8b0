// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "schedule/schedule.h"

namespace ringside {

// Returns the schedule of the pipeline ranks, from pipeline.schedule_file or pipeline.schedule. Without a pipeline the
// schedule has one rank. Returns a problem that names the setting if the setting is wrong.
Result<Schedule> plannedSchedule(const RunConfig& config);

// Returns the number of layers of each stage: pipeline.split if it is set (its sum must be the number of layers).
// Otherwise the layers are divided so that the largest sum of `costs` of any stage is as small as possible. `costs` has
// one entry per layer. Returns a problem if the setting does not suit the model.
Result<std::vector<std::size_t>> stageSizes(const RunConfig& config, const std::vector<double>& costs,
                                            std::size_t stages);

// Returns the largest number of micro-batches of a stage that are in flight at the same time: their forward pass has
// begun and their backward pass has not ended. actions: the actions of one rank.
std::size_t maxInFlight(const std::vector<PipelineAction>& actions, int stage);

}  // namespace ringside
