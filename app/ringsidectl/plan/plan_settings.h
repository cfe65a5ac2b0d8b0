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

// The options of `ringsidectl plan` that say what is dealt. They change an experiment's settings, or the defaults.
struct PlanSettings {
    std::string configFile;  // empty: none
    DatasetConfig data;      // its path: of --data, empty when not given; and what is known about it
    std::optional<std::int64_t> size;
    std::int64_t epoch = 0;
    std::vector<std::pair<std::string, std::string>> changes;  // configuration path, value
};

// What is dealt, and of which data (none when only --size is known).
struct PlanSource {
    RunConfig config;
    std::int64_t size = 0;
    std::shared_ptr<const Dataset> data;

    ShardSpec specAt(std::int64_t epoch) const;
};

void addPlanSettings(CLI::App& plan, PlanSettings& settings);
Result<PlanSource> readPlanSource(const PlanSettings& settings);

// "seed=1,world_size=8": a second setting. Also changes the epoch.
Result<PlanSource> changedSource(const PlanSource& source, const std::string& changes, std::int64_t& epoch);

}  // namespace ringside
