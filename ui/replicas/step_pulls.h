// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "config/mesh.h"
#include "config/run_config.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// What one rank did in one step, as far as the run told of it.
struct RankPull {
    int rank = 0;
    std::optional<double> norm = {};    // of its own gradient
    std::optional<double> cosine = {};  // to the mean
    // Of the mean's length, along the mean: norm x cosine / (N x the mean's norm). All ranks' together are 1.
    std::optional<double> share = {};
    std::optional<double> loss = {};
    std::vector<std::int64_t> samples = {};
    bool samplesPlanned = false;  // not told by the rank: what the plan deals it
};

// The provenance of a step: whose samples pulled how hard, and where to.
struct StepPulls {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::vector<RankPull> ranks = {};
    bool hasGradients = false;
};

// Which ranks train the same layers on other samples: those of one stage of the pipeline.
std::vector<int> ranksOfStage(const RunConfig& config, int stage);

// ranks: of one stage. config: of the run.
StepPulls stepPulls(const RunData& run, const RunConfig& config, std::int64_t step, const std::vector<int>& ranks);

// "12, 44, 81 and 29 more"; empty for none.
QString samplesText(const std::vector<std::int64_t>& samples, std::size_t most);

}  // namespace ringside
