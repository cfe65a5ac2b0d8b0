// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"

#include "support/catch.h"

using namespace ringside;

namespace {

ShardSpec digits() {
    return {.datasetSize = 1437, .worldSize = 4, .batchSize = 32};
}

std::string planSentence(const ShardSpec& spec) {
    return shardSentence(spec) + ' ' + stepSentence(spec);
}

}  // namespace

TEST_CASE("The sentence has the user's own numbers") {
    CHECK(planSentence(digits()) ==
          "ceil(1437 / 4) = 360 samples per rank; 3 are repeated so that all ranks get 360. "
          "12 steps of 4 x 32 = 128; the last step has 8 per rank.");
    ShardSpec spec = digits();
    spec.datasetSize = 1281167;
    spec.worldSize = 64;
    CHECK(shardSentence(spec) ==
          "ceil(1281167 / 64) = 20,019 samples per rank; 49 are repeated so that all ranks get 20,019.");
}

TEST_CASE("the sentence on dropped samples gives their number and whether they are always the same") {
    ShardSpec spec = digits();
    spec.dropLast = true;
    CHECK(shardSentence(spec) ==
          "floor(1437 / 4) = 359 samples per rank; 1 is dropped, a different one in each epoch.");
    spec.datasetSize = 1439;
    CHECK(shardSentence(spec) ==
          "floor(1439 / 4) = 359 samples per rank; 3 are dropped, different ones in each epoch.");
    spec.shuffle = false;
    CHECK(shardSentence(spec) == "floor(1439 / 4) = 359 samples per rank; 3 are dropped, always the last ones.");
    spec.loaderDropLast = true;
    CHECK(stepSentence(spec) == "11 steps of 4 x 32 = 128; the loader drops the last 7 of each rank.");
}

TEST_CASE("with an even division nothing is repeated or dropped") {
    const ShardSpec spec{.datasetSize = 1024, .worldSize = 4, .batchSize = 32};
    CHECK(planSentence(spec) ==
          "1024 / 4 = 256 samples per rank, none repeated, none dropped. 8 steps of 4 x 32 = 128.");
}

TEST_CASE("Empty shards and missing steps are explained") {
    CHECK(shardSentence({.datasetSize = 3, .worldSize = 8, .dropLast = true}) ==
          "floor(3 / 8) = 0 samples per rank: every shard is empty. Turn the sampler's drop_last off, or use at most 3 "
          "ranks.");
    CHECK(shardSentence({.datasetSize = 1, .worldSize = 4}) ==
          "ceil(1 / 4) = 1 sample per rank; 3 are repeated so that all ranks get 1, more than there are samples.");
    CHECK(stepSentence({.datasetSize = 40, .worldSize = 4, .batchSize = 32, .loaderDropLast = true}) ==
          "No steps: a shard of 10 never fills a batch of 32, and the loader's drop_last drops it.");
    CHECK(stepSentence({.datasetSize = 40, .worldSize = 4, .batchSize = 32}) ==
          "1 step of 4 x 10 = 40; a batch of 32 is larger than a rank's shard, so it contains all 10.");
    CHECK(planSentence({.datasetSize = 0, .worldSize = 4}) ==
          "There are no samples, so every rank's shard is empty. No steps.");
}

TEST_CASE("The numbers are those of the plan") {
    for (const std::int64_t n : {0, 1, 7, 64, 101}) {
        for (const bool dropLast : {false, true}) {
            for (const bool loaderDropLast : {false, true}) {
                const ShardSpec spec{.datasetSize = n,
                                     .worldSize = 8,
                                     .dropLast = dropLast,
                                     .batchSize = 3,
                                     .loaderDropLast = loaderDropLast};
                const ShardPlan plan = ShardPlan::make(spec).value();
                const ShardNumbers numbers = shardNumbers(spec);
                CHECK(numbers.samplesPerRank == plan.samplesPerRank());
                CHECK(numbers.padding == plan.padding());
                CHECK(numbers.droppedBySampler == static_cast<std::int64_t>(plan.dropped().size()));
                CHECK(numbers.stepsPerEpoch == plan.stepsPerEpoch());
                CHECK(numbers.lastBatchSize == plan.lastBatchSize());
                CHECK(numbers.droppedByLoader == plan.droppedByLoader());
            }
        }
    }
}

TEST_CASE("settings that cannot be trained are a problem with a remedy") {
    CHECK(planProblems(digits()).empty());
    CHECK(planProblems({.datasetSize = 3, .worldSize = 8, .dropLast = true}).front().text() ==
          "sampler.drop_last leaves every rank without a sample: 3 samples over 8 ranks, floor(3 / 8) = 0: set "
          "parallel.world_size to at most 3, or sampler.drop_last to false");
    CHECK_FALSE(planProblems({.datasetSize = 0}).empty());
}

// PyTorch: len(DataLoader(range(360), batch_size=361)) == 1, and 0 with drop_last=True.
TEST_CASE("A batch larger than the shard is the whole shard, unless the loader drops it") {
    ShardSpec spec = digits();
    spec.batchSize = 360;
    CHECK(planProblems(spec).empty());
    CHECK(stepSentence(spec) == "1 step of 4 x 360 = 1,440.");
    spec.batchSize = 361;
    CHECK(planProblems(spec).empty());
    CHECK(stepSentence(spec) ==
          "1 step of 4 x 360 = 1,440; a batch of 361 is larger than a rank's shard, so it contains all 360.");
    spec.loaderDropLast = true;
    CHECK(
        planProblems(spec).front().text() ==
        "loader.drop_last drops the only batch: a rank's shard of 360 samples does not fill a batch of 361: set it to "
        "false, or loader.batch_size to at most 360");
    CHECK(planProblems({.datasetSize = 1, .worldSize = 1, .batchSize = 2, .loaderDropLast = true}).front().message ==
          "drops the only batch: a rank's shard of 1 sample does not fill a batch of 2");
    CHECK(planProblems({.datasetSize = 5, .worldSize = 2, .batchSize = 6, .kind = SamplerKind::kRandom}).empty());
}

TEST_CASE("without set_epoch every epoch is assigned as epoch 0") {
    RunConfig config;
    CHECK(epochSpec(config, 1437, 7).epoch == 7);
    config.sampler.setEpoch = false;
    CHECK(epochSpec(config, 1437, 7).epoch == 0);
    CHECK(epochSpec(config, 1437, 7).batchSize == 32);
}
