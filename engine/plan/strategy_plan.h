// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/errors/result.h"
#include "config/mesh.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "plan/bucket_plan.h"
#include "plan/built_layers.h"
#include "schedule/schedule.h"

namespace ringside {

class Dataset;
struct DataSplit;

// An experiment and the properties of its data that a StrategyPlan and its costs depend on.
struct PlanSubject {
    RunConfig config;
    ModelDescription model;
    ModelInterface interface;
    bool isClassification = true;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;

    // Returns the number of samples of the largest training or validation batch of a rank: the batch size, but at most
    // the number of samples that a rank gets.
    std::int64_t largestBatch() const;
    // Returns the number of samples of one optimizer step over all ranks, but at most the number of samples of an
    // epoch, including padding.
    std::int64_t samplesPerStep() const;
};

// Returns the experiment together with a description of its model for the data set. Returns a problem if a setting does
// not suit the data.
Result<PlanSubject> planSubject(const RunConfig& config, const DataSplit& data);

// Settings of fully_shard (FSDP) that decide which data a rank keeps during a step and which it frees. Stages of a
// pipeline never free parameters.
struct ShardingChoice {
    bool freesParameters = true;
    bool keepsGradients = false;
    bool prefetches = true;
};

// Layers of a pipeline stage: those from `first` up to, but not including, `last`.
struct StageLayers {
    std::size_t first = 0;
    std::size_t last = 0;
};

// Division of the model and of a step among the ranks, from which the strategy is built and its costs are predicted.
// Only planStrategy() derives these values from the configuration.
struct StrategyPlan {
    Mesh mesh;
    Schedule schedule;
    std::vector<BuiltLayer> layers = {};
    std::vector<std::size_t> stageBegin = {};  // index of the first layer of each stage, followed by the number of
                                               // layers
    std::vector<int> rankOfStage = {};         // pipeline rank of each stage
    std::int64_t maxBatch = 1;                 // largest batch of a rank, in samples
    std::int64_t microBatches = 1;
    std::int64_t microRows = 1;          // largest number of samples of a micro-batch
    std::int64_t leaves = 0;             // training.reduction canonical: number of leaves (groups of samples whose
                                         // gradients are added first) per data-parallel rank; 0 for another reduction
    std::int64_t devices = 0;            // number of devices of data_parallel; 0: another strategy
    int keptLevels = 0;                  // number of gradient sums that are kept while gradients of further
                                         // micro-batches or leaves are computed
    std::optional<ShardUnit> unit = {};  // set of layers whose parameters are gathered together (fsdp.unit); empty if
                                         // they are not sharded
    ShardingChoice sharding = {};        // data that ranks keep or free during a step; used only if `unit` is set
    BucketLimits buckets = {};

    std::size_t stages() const { return rankOfStage.size(); }
    bool isWhole() const { return mesh.shard == 1 && mesh.pipeline == 1; }
    // True if each rank holds the whole model as one object, as under ddp and data_parallel. If false, the strategy
    // builds the parts of the model.
    bool holdsWholeModel() const { return isWhole() && (devices > 0 || leaves == 0); }
    // True if the model has batch norm layers, which keep running statistics.
    bool hasBatchNorm() const;
    bool hasDropout() const;
    // True if the model contains residual blocks that are skipped at random (stochastic depth).
    bool skipsLayers() const;
    // Returns how many times the pipeline schedule runs for one batch: more than once only with training.reduction
    // canonical, if the rank has more leaves than pipeline.micro_batches.
    std::int64_t rounds() const { return std::max<std::int64_t>(1, leaves / microBatches); }
    std::vector<std::size_t> stagesOf(int pipelineRank) const;
    StageLayers layersOf(std::size_t stage) const { return {stageBegin[stage], stageBegin[stage + 1]}; }
    std::vector<TensorSize> parametersOf(std::size_t stage) const;
};

// Divides the model and a step among the ranks. channelBlocks: true if images are stored in blocks of channels. Returns
// a problem if a setting does not suit the model.
Result<StrategyPlan> planStrategy(const PlanSubject& subject, bool channelBlocks);
// Divides the model and a step among the ranks, with the image layout that is fastest on the CPU of this host.
Result<StrategyPlan> planStrategy(const PlanSubject& subject);

// Returns how many times this process has called planStrategy(). Used by tests.
std::int64_t plansMade();

}  // namespace ringside
