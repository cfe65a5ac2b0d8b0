// SPDX-License-Identifier: Apache-2.0
// Tests of complete runs on the built-in digits, with ranks as threads.
#include <cmath>

#include "sampling/plan/shard_plan.h"
#include "support/catch.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig digits(std::int64_t worldSize, std::int64_t batchSize, std::int64_t epochs) {
    RunConfig config;
    config.parallel.worldSize = worldSize;
    config.loader.batchSize = batchSize;
    config.training.epochs = epochs;
    return config;
}

ShardPlan planOf(const RunConfig& config, std::int64_t samples, std::int64_t epoch) {
    return ShardPlan::make({.datasetSize = samples,
                            .worldSize = config.parallel.worldSize,
                            .epoch = epoch,
                            .seed = config.sampler.seed,
                            .shuffle = config.sampler.shuffle,
                            .dropLast = config.sampler.dropLast,
                            .batchSize = config.loader.batchSize,
                            .loaderDropLast = config.loader.dropLast})
        .value();
}

}  // namespace

TEST_CASE("the built-in experiment passes 93 percent validation accuracy") {
    const RunConfig config;
    REQUIRE(config.parallel.worldSize == 4);
    const auto ranks = trainAsThreads(config);
    const auto validation = ranks[0].results("val");
    REQUIRE(validation.size() == 10);
    CHECK(validation.back().accuracy > 0.93);
    CHECK(validation.back().samples == 360);
    CHECK(validation.back().samplesPadded == 360);  // no padding, because 360 is divisible by 4
    CHECK(ranks[0].results("train").back().samples == 1437);
    CHECK(ranks[0].results("train").back().samplesPadded == 1440);
    CHECK(ranks[1].results("val").empty());  // rank 0 reports the results of all ranks
    CHECK(ranks[0].steps.size() == 120);     // 12 steps of 10 epochs
    CHECK(ranks[0].steps.back().samples == 8);
}

TEST_CASE("all replicas stay bit-identical") {
    const auto ranks = trainAsThreads(digits(3, 50, 2));
    const auto reference = ranks[0].all<Replica>();
    REQUIRE(reference.size() == 3);  // at the start and after both epochs
    CHECK(reference[0].hash != reference[1].hash);
    CHECK(reference[1].hash != reference[2].hash);
    for (const RankReport& rank : ranks) {
        const auto replicas = rank.all<Replica>();
        REQUIRE(replicas.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) CHECK(replicas[i].hash == reference[i].hash);
        CHECK(rank.parameters == ranks[0].parameters);
    }
}

TEST_CASE("two runs of one configuration are bit-identical") {
    const auto first = trainAsThreads(digits(2, 32, 2));
    const auto second = trainAsThreads(digits(2, 32, 2));
    CHECK(first[0].parameters == second[0].parameters);
    CHECK(globalLosses(first) == globalLosses(second));
}

TEST_CASE("four ranks with batch 32 train like one rank with batch 128") {
    RunConfig one = digits(1, 128, 2);
    RunConfig four = digits(4, 32, 2);
    one.sampler.dropLast = four.sampler.dropLast = true;  // equal batches, no padding
    one.loader.dropLast = four.loader.dropLast = true;
    const auto expected = globalLosses(trainAsThreads(one));
    const auto losses = globalLosses(trainAsThreads(four));
    REQUIRE(losses.size() == 22);
    REQUIRE(expected.size() == 22);
    for (std::size_t i = 0; i < losses.size(); ++i) CHECK(losses[i] == Approx(expected[i]).epsilon(1e-5));
}

TEST_CASE("a rank trains on its planned samples") {
    for (const bool setEpoch : {true, false}) {
        RunConfig config = digits(3, 100, 2);
        config.sampler.setEpoch = setEpoch;
        config.sampler.seed = 5;
        const auto ranks = trainAsThreads(config);
        for (int rank = 0; rank < 3; ++rank) {
            const auto consumed = ranks[static_cast<std::size_t>(rank)].all<Consumed>();
            REQUIRE(consumed.size() == 2);
            CHECK(consumed[0].count == 479);
            CHECK(consumed[0].sha256 == planOf(config, 1437, 0).hash(rank));
            CHECK(consumed[1].sha256 == planOf(config, 1437, setEpoch ? 1 : 0).hash(rank));
        }
    }
}

TEST_CASE("exact validation does not depend on the world size, padded validation repeats samples") {
    RunConfig config = digits(7, 16, 1);
    config.optimizer.lr = 1e-30;  // so small that the weights keep their initial values
    config.optimizer.momentum = 0;
    const EpochResult seven = trainAsThreads(config)[0].results("val").front();
    config.parallel.worldSize = 1;
    const EpochResult one = trainAsThreads(config)[0].results("val").front();
    CHECK(seven.samples == 360);
    CHECK(seven.samplesPadded == 364);  // 7 x ceil(360 / 7)
    CHECK(seven.loss == Approx(one.loss).epsilon(1e-9));
    CHECK(seven.accuracy == Approx(one.accuracy));
    CHECK(one.loss == one.lossPadded);
    CHECK(seven.loss != seven.lossPadded);
}

TEST_CASE("a stop request ends all ranks after the same step") {
    RunConfig config = digits(4, 32, 10);
    RunOptions options;
    options.stopAfter = [](std::int64_t step) { return step == 15; };
    const auto ranks = trainAsThreads(config, options);
    for (const RankReport& rank : ranks) {
        CHECK(rank.outcome == TrainOutcome::kStopped);
        CHECK(rank.steps.size() == 16);  // the stop is requested after step 15 and sent to all ranks with step 16
    }
}

TEST_CASE("a stop request in the last step of an epoch interrupts a long validation") {
    RunOptions options;
    options.stopAfter = [](std::int64_t step) { return step == 719; };  // ceil(1437 / 2) steps of one sample
    const auto ranks = trainAsThreads(digits(2, 1, 10), options);
    for (const RankReport& rank : ranks) {
        CHECK(rank.outcome == TrainOutcome::kStopped);
        CHECK(rank.steps.size() == 719);
    }
    CHECK(ranks[0].results("train").size() == 1);
    CHECK(ranks[0].results("val").empty());
}

TEST_CASE("a batch size beyond the shard is one batch of the whole shard") {
    const auto ranks = trainAsThreads(digits(2, 1'000'000'000, 2));
    REQUIRE(ranks[0].steps.size() == 2);
    CHECK(ranks[0].steps[0].samples == 719);
    CHECK(ranks[0].results("val").back().samples == 360);
}

TEST_CASE("steps are logged at the set interval") {
    RunConfig config = digits(1, 32, 1);
    config.training.logEvery = 10;
    const auto ranks = trainAsThreads(config);
    std::vector<std::int64_t> steps;
    for (const StepRecord& record : ranks[0].steps) steps.push_back(record.step);
    CHECK(steps == std::vector<std::int64_t>{10, 20, 30, 40});  // every tenth of 45 steps
}

TEST_CASE("the toy model learns a regression without accuracies") {
    RunConfig config = digits(2, 32, 3);
    config.dataset.kind = DatasetKind::kSynthetic;
    config.model.kind = ModelKind::kToyLinear;
    config.optimizer.lr = 0.01;
    const auto ranks = trainAsThreads(config);
    const auto training = ranks[0].results("train");
    REQUIRE(training.size() == 3);
    CHECK(training[2].loss < training[0].loss);
    CHECK(std::isnan(training[0].accuracy));
    CHECK(ranks[0].steps[0].correct == -1);
}

TEST_CASE("small buckets are reduced during the backward pass and change nothing") {
    RunConfig config = digits(4, 32, 1);
    const auto whole = trainAsThreads(config);
    // Each parameter gets a bucket of its own, because the limit is smaller than any parameter.
    config.parallel.firstBucketMb = config.parallel.bucketCapMb = 1e-5;
    const auto split = trainAsThreads(config);
    CHECK(split[0].parameters == whole[0].parameters);
}
