// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "config/mesh.h"
#include "config/run_config.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Contribution of one rank to one step. Values that the run has not recorded are empty.
struct RankContribution {
    int rank = 0;
    std::optional<double> norm = {};    // norm of the rank's local gradient
    std::optional<double> cosine = {};  // cosine similarity of the local gradient and the mean gradient
    // share of the mean gradient's length that the rank contributed: norm x cosine / (N x norm of the mean gradient),
    // for N ranks; the shares of all ranks add up to 1
    std::optional<double> share = {};
    std::optional<double> loss = {};
    std::vector<std::int64_t> samples = {};
    // true if `samples` are computed from the shard plan, because the rank has not reported its samples
    bool samplesPlanned = false;
};

// Contributions of all ranks to a step: how much the samples of each rank changed the weights, and in which direction.
struct StepContributions {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::vector<RankContribution> ranks = {};
    bool hasGradients = false;
};

// Returns the data-parallel group of a pipeline stage: the ranks with the same layers and different samples.
std::vector<int> ranksOfStage(const RunConfig& config, int stage);

// Returns the contributions of `ranks` to `step`. `ranks` are the ranks of one stage; `config` is the experiment of the
// run.
StepContributions stepContributions(const RunData& run, const RunConfig& config, std::int64_t step,
                                    const std::vector<int>& ranks);

// Returns a text such as "12, 44, 81 and 29 more" that lists at most `most` samples; empty if there are no samples.
QString samplesText(const std::vector<std::int64_t>& samples, std::size_t most);

}  // namespace ringside
