// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/errors/result.h"
#include "config/mesh.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "plan/built_layers.h"
#include "schedule/schedule.h"

namespace ringside {

class Dataset;
struct DataSplit;

// An experiment and the properties of its data that costs depend on.
struct CostSubject {
    RunConfig config;
    ModelDescription model;
    ModelTask task;
    bool isClassification = true;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;

    // Returns the largest batch of a rank in samples: the batch size, but at most a rank's share of the samples.
    std::int64_t largestBatch() const;
    // Returns the samples of one optimizer step over all ranks, at most all training samples.
    std::int64_t samplesPerStep() const;
};

// Describes the model for these data. Problem: a setting that does not suit the data.
Result<CostSubject> costSubject(const RunConfig& config, const DataSplit& data);

// Division of the model and of a step among the ranks.
struct StrategyPlan {
    Mesh mesh;
    Schedule schedule;
    std::vector<BuiltLayer> layers = {};
    std::vector<std::size_t> stageBegin = {};  // first layer of each stage, and the number of layers
    std::vector<int> rankOfStage = {};         // pipeline rank of each stage
    std::int64_t microBatches = 1;
    std::int64_t microRows = 1;  // largest number of samples of a micro-batch
    std::int64_t leaves = 0;     // leaves per data-parallel rank (canonical reduction); 0: another reduction
    std::int64_t devices = 0;    // devices of data_parallel; 0: another strategy

    std::size_t stages() const { return rankOfStage.size(); }
    bool isWhole() const { return mesh.shard == 1 && mesh.pipeline == 1; }
    // Returns how many times the schedule runs for one batch.
    std::int64_t rounds() const { return std::max<std::int64_t>(1, leaves / microBatches); }
    std::vector<std::size_t> stagesOf(int pipelineRank) const;
    std::vector<TensorSize> parametersOf(std::size_t stage) const;
};

// Problem: a setting that does not suit the model.
Result<StrategyPlan> planStrategy(const CostSubject& subject);

}  // namespace ringside
