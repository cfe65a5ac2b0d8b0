// SPDX-License-Identifier: Apache-2.0
// Experiments with different strategies, and their results.
#pragma once

#include "base/crypto/sha256.h"
#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/sha256_of.h"
#include "support/temporary_directory.h"
#include "train/training_run.h"

namespace ringside::test {

// Returns an experiment with 256 training samples in complete batches, so that every strategy has the same
// micro-batches.
inline RunConfig blobs(std::int64_t worldSize, std::int64_t batchSize) {
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kBlobs;
    config.dataset.size = 320;
    config.model.hidden = {13, 9};
    config.parallel.worldSize = worldSize;
    config.loader.batchSize = batchSize;
    config.training.epochs = 2;
    return config;
}

inline RunConfig text(std::int64_t worldSize, std::int64_t batchSize, const std::filesystem::path& directory) {
    std::string words;
    for (int i = 0; i < 300; ++i) words += "ring " + std::to_string(i * i) + " side ";
    const auto path = directory / "text.txt";
    writeFileAtomically(path, words);
    RunConfig config = blobs(worldSize, batchSize);
    config.dataset.kind = DatasetKind::kText;
    config.dataset.path = path.string();
    config.dataset.contextLength = 8;
    config.model.kind = ModelKind::kTransformer;
    config.model.width = 8;
    config.model.heads = 2;
    config.model.depth = 2;
    config.model.dropout = 0.1;
    config.optimizer.kind = OptimizerKind::kAdamW;
    config.optimizer.lr = 0.003;
    config.sampler.dropLast = config.loader.dropLast = true;
    config.training.maxSteps = 12;
    return config;
}

inline RunConfig sharded(RunConfig config, const std::string& shard, const std::string& unit) {
    config.parallel.strategy = StrategyKind::kFsdp;
    choose(config.fsdp.shard, shard);
    choose(config.fsdp.unit, unit);
    return config;
}

inline RunConfig pipelined(RunConfig config, const std::string& schedule, std::int64_t microBatches,
                           std::int64_t stagesPerRank = 1) {
    config.parallel.strategy = StrategyKind::kPipeline;
    choose(config.pipeline.schedule, schedule);
    config.pipeline.microBatches = microBatches;
    config.pipeline.stagesPerRank = stagesPerRank;
    return config;
}

inline RunConfig accumulating(RunConfig config, std::int64_t steps) {
    config.training.accumulateSteps = steps;
    return config;
}

// Content of the last checkpoint: weights, buffers and optimizer state.
struct Ended {
    std::string weights, optimizer;
    std::vector<RankReport> ranks;
};

inline Ended train(const RunConfig& config, const std::filesystem::path& directory = TemporaryDirectory().path()) {
    REQUIRE(config.validateForTraining().empty());
    Ended ended;
    std::filesystem::create_directories(directory);
    ended.ranks = trainAsThreads(config, {.runDirectory = directory, .stopAfter = {}});
    const auto last = directory / ended.ranks[0].all<CheckpointSaved>().back().path;
    ended.weights = readFile(last / "model.safetensors", 1 << 24).value();
    ended.optimizer = readFile(last / "optimizer.safetensors", 1 << 24).value();
    std::filesystem::remove_all(directory);
    return ended;
}

inline void checkSame(const Ended& one, const Ended& other) {
    CHECK(sha256Of(one.weights) == sha256Of(other.weights));
    CHECK(sha256Of(one.optimizer) == sha256Of(other.optimizer));
    const auto results = [](const Ended& ended) { return ended.ranks[0].results("val").back(); };
    CHECK(results(one).loss == Approx(results(other).loss).epsilon(1e-6));
    CHECK(results(one).samples == results(other).samples);
}

}  // namespace ringside::test
