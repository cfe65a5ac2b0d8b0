// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/errors/result.h"
#include "config/mesh.h"
#include "config/run_config.h"
#include "plan/built_layers.h"
#include "model/model_description.h"
#include "schedule/schedule.h"

namespace ringside {

class Dataset;
struct DataSplit;

// An experiment and what its data make of it.
struct CostSubject {
    RunConfig config;
    ModelDescription model;
    ModelTask task;
    bool isClassification = true;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;

    std::int64_t largestBatch() const;    // of a rank: no more than its share of the samples
    std::int64_t samplesPerStep() const;  // of all ranks in an optimizer step, no more than there are
};

Result<CostSubject> costSubject(const RunConfig& config, const DataSplit& data);

// How the ranks share the model out.
struct StrategyPlan {
    Mesh mesh;
    Schedule schedule;
    std::vector<BuiltLayer> layers = {};
    std::vector<std::size_t> stageBegin = {};  // first layer of each stage, and the end
    std::vector<int> rankOfStage = {};         // place in the pipeline
    std::int64_t microBatches = 1;
    std::int64_t microRows = 1;  // samples of a micro-batch at most
    std::int64_t leaves = 0;     // that each reader's batch is summed from; 0: no canonical reduction
    std::int64_t devices = 0;    // of data_parallel's one process; 0: another strategy

    std::size_t stages() const { return rankOfStage.size(); }
    bool isWhole() const { return mesh.shard == 1 && mesh.pipeline == 1; }
    // How often a step runs the schedule for one of its batches.
    std::int64_t rounds() const { return std::max<std::int64_t>(1, leaves / microBatches); }
    std::vector<std::size_t> stagesOf(int pipelineRank) const;
    std::vector<TensorSize> parametersOf(std::size_t stage) const;
};

// The problem names the setting that does not suit the model.
Result<StrategyPlan> planStrategy(const CostSubject& subject);

}  // namespace ringside
