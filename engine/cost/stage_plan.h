// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "schedule/schedule.h"

namespace ringside {

// In which order the ranks of a pipeline work: by pipeline.schedule_file, or as pipeline.schedule names it. Of one rank
// without a pipeline. The problem names the setting.
Result<Schedule> plannedSchedule(const RunConfig& config);

// How many layers each stage has, from what each layer costs. By hand: pipeline.split, whose numbers add up to the
// model's layers; else so that the stage with the most arithmetic has as little as can be.
Result<std::vector<std::size_t>> stageSizes(const RunConfig& config, const std::vector<double>& costs,
                                            std::size_t stages);

// How many micro-batches of a stage are between their forward pass and the end of their backward pass at most.
std::size_t mostInFlight(const std::vector<PipelineAction>& actions, int stage);

}  // namespace ringside
