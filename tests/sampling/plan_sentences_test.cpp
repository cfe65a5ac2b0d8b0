// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"

#include "support/catch.h"
#include "support/labelled_set.h"

using namespace ringside;

namespace {

ShardSpec digits() {
    return {.datasetSize = 1437, .worldSize = 4, .batchSize = 32};
}

std::string planSentence(const ShardSpec& spec) {
    return shardSentence(spec) + ' ' + stepSentence(spec);
}

}  // namespace

TEST_CASE("the sentence has the user's own numbers") {
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
          "floor(1437 / 4) = 359 samples per rank; 1 is dropped, a different sample in each epoch.");
    spec.datasetSize = 1439;
    CHECK(shardSentence(spec) ==
          "floor(1439 / 4) = 359 samples per rank; 3 are dropped, different samples in each epoch.");
    spec.shuffle = false;
    CHECK(shardSentence(spec) == "floor(1439 / 4) = 359 samples per rank; 3 are dropped, always the last samples.");
    spec.loaderDropLast = true;
    CHECK(stepSentence(spec) == "11 steps of 4 x 32 = 128; the loader drops the last 7 of each rank.");
}

TEST_CASE("with an even division nothing is repeated or dropped") {
    const ShardSpec spec{.datasetSize = 1024, .worldSize = 4, .batchSize = 32};
    CHECK(planSentence(spec) ==
          "1024 / 4 = 256 samples per rank, none repeated, none dropped. 8 steps of 4 x 32 = 128.");
}

TEST_CASE("empty shards and missing steps are explained") {
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

TEST_CASE("the numbers are those of the plan") {
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
                CHECK(numbers.groups[0].lastBatch == plan.lastBatchSize());
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
TEST_CASE("a batch larger than the shard is the whole shard, unless the loader drops it") {
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

TEST_CASE("one repeated or dropped sample is described in the singular") {
    CHECK(shardSentence({.datasetSize = 7, .worldSize = 4}) ==
          "ceil(7 / 4) = 2 samples per rank; 1 is repeated so that all ranks get 2.");
    CHECK(shardSentence({.datasetSize = 2, .worldSize = 4}) ==
          "ceil(2 / 4) = 1 sample per rank; 2 are repeated so that all ranks get 1.");
    ShardSpec spec{.datasetSize = 9, .worldSize = 4, .shuffle = false, .dropLast = true};
    CHECK(shardSentence(spec) == "floor(9 / 4) = 2 samples per rank; 1 is dropped, always the last sample.");
    spec.datasetSize = 1;
    CHECK(shardSentence(spec) ==
          "floor(1 / 4) = 0 samples per rank: every shard is empty. Turn the sampler's drop_last off, or use at most 1 "
          "rank.");
}

TEST_CASE("the sentence describes the order of each kind of sampler") {
    const auto data = testing::labelledSet({0, 0, 0, 0, 0, 0, 1, 1, 2}, 3);
    const auto sentence = [&data](SamplerKind kind, std::int64_t samples, std::int64_t ranks, std::int64_t draws = 0) {
        return shardSentence({.datasetSize = samples,
                              .worldSize = ranks,
                              .shuffle = false,
                              .dropLast = draws > 0,
                              .batchSize = 3,
                              .kind = kind,
                              .data = data,
                              .numSamples = draws});
    };
    CHECK(sentence(SamplerKind::kSubset, 10, 2) ==
          "A subset of 5 of 10: ceil(5 / 2) = 3 samples per rank; 1 is repeated so that all ranks get 3.");
    CHECK(
        sentence(SamplerKind::kDistributedWeighted, 9, 2, 7) ==
        "7 draws with replacement: floor(7 / 2) = 3 samples per rank; 1 is dropped, a different sample in each epoch.");
    CHECK(sentence(SamplerKind::kClassBalanced, 9, 2) ==
          "9 samples, alternating classes: ceil(9 / (2 x 3)) = 2 batches for each rank; 3 are repeated so that all "
          "ranks get 6.");
    CHECK(sentence(SamplerKind::kBatchSharded, 6, 2) ==
          "6 / (2 x 3) = 1 batch for each rank, none repeated, none dropped.");
    CHECK(sentence(SamplerKind::kRandom, 9, 1) == "One rank gets all 9 samples.");
    CHECK(sentence(SamplerKind::kRandom, 9, 2) == "Nothing is sharded: each of 2 ranks gets all 9 samples.");
    CHECK(sentence(SamplerKind::kWeighted, 9, 1) == "One rank gets 9 draws.");
    CHECK(sentence(SamplerKind::kWeighted, 9, 2) == "Nothing is sharded: each of 2 ranks gets the same 9 draws.");
    CHECK(sentence(SamplerKind::kUnpadded, 9, 2) == "1 rank gets 5, 1 rank gets 4; none repeated, none dropped.");
    CHECK(sentence(SamplerKind::kUnpadded, 11, 4) == "3 ranks get 3, 1 rank gets 2; none repeated, none dropped.");
    CHECK(sentence(SamplerKind::kUnpadded, 8, 2) == "8 / 2 = 4 samples per rank, none repeated, none dropped.");
    ShardSpec dropping{.datasetSize = 13, .worldSize = 2, .dropLast = true, .batchSize = 3};
    dropping.kind = SamplerKind::kBatchSharded;
    CHECK(shardSentence(dropping) ==
          "floor(13 / (2 x 3)) = 2 batches for each rank; 1 is dropped, a different sample in each epoch.");
}

TEST_CASE("the sentence on steps states that ranks without shards use the same samples") {
    ShardSpec spec{.datasetSize = 10, .worldSize = 2, .batchSize = 4, .kind = SamplerKind::kRandom};
    CHECK(stepSentence(spec) ==
          "3 steps of 2 x 4 = 8, of which only 4 are distinct: all ranks use the same samples; the last step has 2 per "
          "rank.");
    spec.worldSize = 1;
    CHECK(stepSentence(spec) == "3 steps of 1 x 4 = 4; the last step has 2 per rank.");
}

TEST_CASE("each deliberate mistake is described") {
    const auto sentence = [](const PitfallsConfig& pitfalls) {
        return pitfallSentence({.datasetSize = 1000, .worldSize = 4, .pitfalls = pitfalls});
    };
    CHECK(sentence({}).empty());
    CHECK(sentence({.seedPerRank = true}) ==
          "A deliberate mistake: Every rank shuffles with its own seed, so shards overlap and samples are missed.");
    CHECK(sentence({.doubleSharding = true}) ==
          "A deliberate mistake: The data is split by rank, and the sampler splits each part again: each epoch uses "
          "only about 1/4 of the samples.");
    CHECK(sentence({.wrongRank = 0}) ==
          "A deliberate mistake: Every process passes rank 0 to the sampler, so all do the same work.");
    CHECK(sentence({.wrongWorldSize = 8}) ==
          "A deliberate mistake: The sampler assigns samples to 8 ranks, but there are 4.");
    CHECK(sentence({.wrongWorldSize = 4}).empty());
    CHECK(sentence({.wrongWorldSize = 1}) ==
          "A deliberate mistake: The sampler assigns samples to 1 ranks, but there are 4.");
    // The first division gives shards of 250 samples. Dividing them again, ranks 2 and 3 repeat one sample each.
    CHECK(shardSentence({.datasetSize = 1000, .worldSize = 4, .pitfalls = {.doubleSharding = true}}) ==
          "Split by rank, and then split again by the sampler: ceil(250 / 4) = 63 samples per rank; 2 are repeated so "
          "that all ranks get 63.");
    // Rank 7 of 8 would repeat samples, but only ranks 0 to 3 exist.
    CHECK(shardSentence({.datasetSize = 1001, .worldSize = 4, .pitfalls = {.wrongWorldSize = 8}}) ==
          "ceil(1001 / 8) = 126 samples per rank; 3 are repeated so that all ranks get 126.");
    CHECK_THAT(shardSentence({.datasetSize = 1001, .worldSize = 4, .pitfalls = {.wrongRank = 0, .wrongWorldSize = 8}}),
               containing("ceil(1001 / 8) = 126 samples per rank."));
    for (const PitfallsConfig& mistake : {PitfallsConfig{.seedPerRank = true}, PitfallsConfig{.wrongRank = 0}})
        CHECK(shardSentence({.datasetSize = 1000, .worldSize = 4, .pitfalls = mistake}) ==
              "1000 / 4 = 250 samples per rank.");
    CHECK(shardSentence({.datasetSize = 1600, .worldSize = 4, .pitfalls = {.doubleSharding = true}}) ==
          "Split by rank, and then split again by the sampler: 400 / 4 = 100 samples per rank.");
    CHECK(shardSentence({.datasetSize = 1000, .worldSize = 4, .pitfalls = {.wrongWorldSize = 8}}) ==
          "1000 / 8 = 125 samples per rank.");
}

TEST_CASE("each plan that cannot be trained is a problem of its setting") {
    const auto problem = [](const ShardSpec& spec) { return planProblems(spec).front().text(); };
    CHECK(problem({.datasetSize = 0}) == "dataset has no training samples: choose a data set with training samples");
    CHECK(problem({.datasetSize = 10, .worldSize = 4, .pitfalls = {.wrongRank = 4}}).find("pitfalls.wrong_rank is 4") ==
          0);
    CHECK(problem({.datasetSize = 10, .worldSize = 4, .kind = SamplerKind::kUnpadded}) ==
          "sampler.kind is unpadded, which is meant for evaluation: 10 samples over 4 ranks leave shards of 3 and 2, "
          "and in training the ranks with more samples would wait forever for a last gradient: choose distributed, "
          "which pads or drops, or a number of samples that 4 divides");
    CHECK(planProblems({.datasetSize = 8, .worldSize = 4, .kind = SamplerKind::kUnpadded}).empty());
    ShardSpec batches{.datasetSize = 7, .worldSize = 4, .dropLast = true, .batchSize = 2};
    batches.kind = SamplerKind::kBatchSharded;
    CHECK(problem(batches) ==
          "sampler.drop_last leaves no batch: 7 samples do not fill one on each of 4 ranks: lower loader.batch_size, "
          "or set sampler.drop_last to false");
    batches.datasetSize = 8;
    CHECK(planProblems(batches).empty());
    ShardSpec weighted{.datasetSize = 2, .kind = SamplerKind::kWeighted, .data = testing::labelledSet({0, 0}, 0)};
    CHECK(problem(weighted) ==
          "sampler.kind is weighted, which needs samples with classes: choose a data set with classes, or another "
          "sampler");
    weighted.data = testing::labelledSet({0, 0}, 1);
    CHECK(planProblems(weighted).empty());
}

TEST_CASE("one sample that the loader drops is mentioned") {
    CHECK(stepSentence({.datasetSize = 10, .worldSize = 2, .batchSize = 4, .loaderDropLast = true}) ==
          "1 step of 2 x 4 = 8; the loader drops the last 1 of each rank.");
}

// The values are those of torch's DataLoader over range(n) with the sampler range(n)[rank::W] and batches of B: number
// of batches, samples in the first and in the last one, and len(sampler) minus the samples of all batches.
TEST_CASE("unpadded shards of two lengths are counted rank by rank") {
    struct Expected {
        std::int64_t n, ranks, batch;
        bool drops;
        std::int64_t firstBatch, dropped;
        const char* sentence;
    };
    const Expected all[] = {
        {10, 4, 2, false, 8, 0, "2 steps of 4 x 2 = 8; the last step has 1 on 2 ranks and none on 2 ranks."},
        {10, 4, 2, true, 8, 2, "1 step of 4 x 2 = 8; the loader drops the last 1 of 2 ranks."},
        {10, 4, 3, false, 10, 0, "1 step of 2 x 3 + 2 x 2 = 10."},
        {10, 4, 3, true, 6, 4, "1 step of 2 x 3 + 2 x 0 = 6; the loader drops the last 2 of 2 ranks."},
        {30, 4, 5, false, 20, 0, "2 steps of 4 x 5 = 20; the last step has 3 on 2 ranks and 2 on 2 ranks."},
        {30, 4, 5, true, 20, 10,
         "1 step of 4 x 5 = 20; the loader drops the last 3 of 2 ranks and the last 2 of 2 ranks."},
        {13, 4, 3, true, 12, 1, "1 step of 4 x 3 = 12; the loader drops the last 1 of 1 rank."},
        {11, 4, 2, false, 8, 0, "2 steps of 4 x 2 = 8; the last step has 1 on 3 ranks and none on 1 rank."},
        {10, 4, 32, false, 10, 0,
         "1 step of 2 x 3 + 2 x 2 = 10; a batch of 32 is larger than a rank's shard, so it contains the whole shard."},
        {10, 4, 32, true, 0, 10,
         "No steps: a shard of 3 never fills a batch of 32, and the loader's drop_last drops it."},
    };
    for (const Expected& one : all) {
        const ShardSpec spec{.datasetSize = one.n,
                             .worldSize = one.ranks,
                             .batchSize = one.batch,
                             .loaderDropLast = one.drops,
                             .kind = SamplerKind::kUnpadded};
        CAPTURE(one.n, one.batch, one.drops);
        CHECK(stepSentence(spec) == one.sentence);
        CHECK(globalBatch(shardNumbers(spec)) == one.firstBatch);
        CHECK(shardNumbers(spec).droppedByLoader == one.dropped);
        CHECK(ShardPlan::make(spec).value().droppedByLoader() == one.dropped);
    }
}

// PyTorch: DataLoader(range(10), batch_size=4, drop_last=True) yields 8 samples, which is all that three accumulated
// batches can have.
TEST_CASE("accumulated batches have at most the samples that the loader keeps") {
    ShardSpec spec{.datasetSize = 10, .worldSize = 1, .batchSize = 4};
    CHECK(globalBatch(shardNumbers(spec), 2) == 8);
    CHECK(globalBatch(shardNumbers(spec), 3) == 10);
    spec.loaderDropLast = true;
    CHECK(globalBatch(shardNumbers(spec), 3) == 8);
}

// torch's DataLoader yields 12 batches on each rank for shards of 360 and 359, so that no rank waits.
TEST_CASE("unpadded shards with the same number of steps are not reported to wait") {
    const ShardSpec spec{.datasetSize = 1437, .worldSize = 4, .batchSize = 32, .kind = SamplerKind::kUnpadded};
    CHECK(planProblems(spec).front().text() ==
          "sampler.kind is unpadded, which is meant for evaluation: 1437 samples over 4 ranks leave shards of 360 and "
          "359; Ringside trains shards of equal length only: choose distributed, which pads or drops, or a number of "
          "samples that 4 divides");
}
