// SPDX-License-Identifier: Apache-2.0
// Tests of the conditions that training refuses, and of their messages.
#include <limits>
#include <string>

#include "data/sets/common/memory_dataset.h"
#include "support/catch.h"
#include "train/interfaces/training_error.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

std::string errorOf(const RunConfig& config, const DataSplit& data) {
    try {
        trainAsThreads(config, data);
    } catch (const Error& error) {
        CHECK(error.exitCode() == ExitCode::kBadConfiguration);
        return error.what();
    }
    return "no error";
}

DataSplit tenSamples(std::int32_t lastLabel, float lastFeature = 1) {
    SampleTable table;
    table.size = 10;
    table.shape.features = 2;
    table.features.assign(20, 1);
    table.features.back() = lastFeature;
    table.labels = {0, 1, 2, 0, 1, 2, 0, 1, 2, lastLabel};
    table.classNames = {"a", "b", "c"};
    return {std::make_shared<MemoryDataset>(table), nullptr, ""};
}

RunConfig smallConfig(std::int64_t worldSize) {
    RunConfig config;
    config.parallel.worldSize = worldSize;
    config.training.epochs = 1;
    return config;
}

}  // namespace

TEST_CASE("training without a validation set works") {
    CHECK(trainAsThreads(smallConfig(2), tenSamples(0))[0].results("val").empty());
}

TEST_CASE("an empty shard is refused with the remedy") {
    RunConfig config = smallConfig(16);
    config.sampler.dropLast = true;
    CHECK(errorOf(config, tenSamples(0)) ==
          "10 training samples on 16 ranks leave every rank with an empty shard: switch sampler.drop_last off or use "
          "fewer ranks");
}

TEST_CASE("a loader that drops its only batch is refused with the remedy") {
    RunConfig config = smallConfig(2);
    config.loader.dropLast = true;
    CHECK(errorOf(config, tenSamples(0)) ==
          "10 training samples on 2 ranks give every rank 5, fewer than one batch of 32, and loader.drop_last drops "
          "it: lower loader.batch_size or switch loader.drop_last off");
}

TEST_CASE("an invalid label is refused with its sample") {
    for (const std::int32_t label : {3, -1}) {
        const std::string text = errorOf(smallConfig(1), tenSamples(label));
        CHECK(text.find("sample 9 has label " + std::to_string(label)) == 0);
        CHECK(text.find("0 to 2") != std::string::npos);
    }
}

TEST_CASE("a loss that is not a number stops the run and names step and rank") {
    CHECK(errorOf(smallConfig(1), tenSamples(0, std::numeric_limits<float>::quiet_NaN())) ==
          "the loss of rank 0 is not a number at step 1: check the data set for values that are not numbers or much "
          "too large");
}

TEST_CASE("a much too high learning rate stops the run") {
    RunConfig config = smallConfig(2);
    config.training.epochs = 10;
    config.optimizer.lr = 1e30;
    CHECK_THROWS_WITH(trainAsThreads(config), containing("lower optimizer.lr (now 1e+30)"));
}

TEST_CASE("a NaN loss is counted if on_non_finite is continue") {
    RunConfig config = smallConfig(2);
    config.training.onNonFinite = OnNonFinite::kContinue;
    config.training.epochs = 3;
    config.loader.batchSize = 5;
    // Each rank has five samples in one batch. After the first step, the weights are NaN on every rank.
    const auto ranks = trainAsThreads(config, tenSamples(0, std::numeric_limits<float>::quiet_NaN()));
    const auto epochs = ranks[0].results("train");
    REQUIRE(epochs.size() == 3);
    CHECK(epochs[0].nonFiniteBatches == 1);
    CHECK(epochs[1].nonFiniteBatches == 2);
    CHECK(epochs[2].nonFiniteBatches == 2);
    int reports = 0;
    for (const auto& rank : ranks) {
        for (const auto& line : rank.all<LogLine>()) {
            ++reports;
            CHECK(line.level == LogLevel::kWarning);
            CHECK(line.text.find("is not a number at step ") != std::string::npos);
        }
    }
    CHECK(reports == 2);  // each rank reports it once
}
