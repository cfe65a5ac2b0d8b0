// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors/result.h"
#include "data/sets/common/dataset.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// Options of `ringsidectl plan` that define the sample assignment. They override an experiment's settings or the
// defaults.
struct PlanSettings {
    std::string configFile;  // path of the experiment file; empty if none was given
    DatasetConfig data;      // data set given with --data: its path (empty if not given), and the properties that other
                             // options give
    std::optional<std::int64_t> size;
    std::int64_t epoch = 0;
    std::vector<std::pair<std::string, std::string>> changes;  // changed settings as (configuration path, value)
};

// Settings from which the sample assignment is computed, and the data set (null if only --size is given).
struct PlanSource {
    RunConfig config;
    std::int64_t size = 0;
    std::shared_ptr<const Dataset> data;

    ShardSpec specAt(std::int64_t epoch) const;
};

// Adds the options to a command. `settings` must outlive the parsing.
void addPlanSettings(CLI::App& plan, PlanSettings& settings);
// Loads the experiment or the data, and applies the options. Returns a problem if a file cannot be read, a required
// option is missing or a setting is invalid.
Result<PlanSource> readPlanSource(const PlanSettings& settings);

// Returns a copy of `source` with changes such as "seed=1,world_size=8" applied. If the changes contain an epoch,
// writes it to `epoch`.
Result<PlanSource> changedSource(const PlanSource& source, const std::string& changes, std::int64_t& epoch);

}  // namespace ringside
