// SPDX-License-Identifier: GPL-3.0-or-later
// "Why is sample s on rank r?" for every sampler, by hand: ten samples on four ranks in batches of 2. With seed 0 the
// shuffled order is 4 1 7 5 3 9 0 8 6 2.
#include "plans.h"
#include "shards/scene/explanation.h"
#include "shards/summary/epoch_summary.h"
#include "shards/summary/epoch_summary_sentences.h"
#include "support/catch.h"
#include "support/labelled_set.h"

using namespace ringside;

namespace {

ShardSpec specOf(SamplerKind kind) {
    ShardSpec spec = tenOnFour();
    spec.kind = kind;
    return spec;
}

// Returns a scene with samples 0 to 7 of class 0, and samples 8 and 9 of class 1.
ShardScene eightAndTwo(ShardSpec spec) {
    const auto data = testing::labelledSet({0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, 2);
    spec.data = data;
    return {planOf(spec), 0, true, data, readLabels(*data)};
}

QStringList why(const ShardSpec& spec, GridCell cell) {
    return explain(sceneOf(spec), cell).lines;
}

QString valueOf(const ShardSpec& spec, const QString& name) {
    for (const EpochSummaryRow& row :
         epochSummaryRows(planOf(spec), {.unique = countTrainedSamples(planOf(spec))}, 1)) {
        if (row.name == name) return row.value;
    }
    return QStringLiteral("no such row");
}

}  // namespace

TEST_CASE("contiguous blocks divide the position by the block") {
    // 4 1 7 | 5 3 9 | 0 8 6 | 2 4 1
    const ShardSpec spec = specOf(SamplerKind::kContiguous);
    CHECK(explain(sceneOf(spec), {1, 1}).title == "Why is sample 3 on rank 1?");
    CHECK(why(spec, {1, 1}) ==
          QStringList{"The sample is at position 4 of the padded order, which is split into one block of 3 per rank: 4 "
                      "div 3 = 1, slot 4 mod 3 = 1.",
                      "The order is randperm(10), seeded with seed + epoch - 1 = 0 + 0 = 0.",
                      "Step 1 of 2 uses slots 0 to 1 of every block: here positions 3 to 4 of the order."});
    const QStringList copy = why(spec, {3, 1});
    CHECK(copy[1] == "The order has only 10 samples, so positions 10 to 11 repeat the first 2: 4, 1.");
    CHECK(copy[2] ==
          "The sample is first used at position 0: rank 0, slot 0, step 1. "
          "If drop_last of the sampler were on, samples 6, 2 would be dropped instead.");
    CHECK(explainGrid(sceneOf(spec)).lines[1] ==
          "Rank r uses one block, positions r x 3 to (r + 1) x 3 - 1, in batches of 2.");
}

TEST_CASE("whole batches in turn are explained with two divisions") {
    // 4 1 | 7 5 | 3 9 | 0 8 and then 6 2 | 4 1 | 7 5 | 3 9
    const ShardSpec spec = specOf(SamplerKind::kBatchSharded);
    CHECK(why(spec, {0, 3})[0] ==
          "The sample is at position 9 of the padded order, in batch 9 div 2 = 4. Whole batches are assigned to the "
          "ranks in turn: 4 mod 4 = 0, slot 1 x 2 + 1 = 3.");
    CHECK(why(spec, {0, 3})[2] == "Step 2 of 2 uses slots 2 to 3 of every rank: positions 8 to 15 of the order.");
    CHECK(why(spec, {1, 2})[2] ==
          "The sample is first used at position 0: rank 0, slot 0, step 1. "
          "If drop_last of the sampler were on, samples 6, 2 would be dropped instead.");
    ShardSpec dropping = spec;
    dropping.dropLast = true;
    // Positions 8 and 9 are one batch, which would go to rank 0. The grid shows the dropped samples on the ranks in
    // turn.
    const Explanation dropped = explain(sceneOf(dropping), {1, 2});
    CHECK(dropped.title == "Why does no rank get sample 2?");
    CHECK(dropped.lines[0] ==
          "The sample is at position 9 of the order, and drop_last of the sampler keeps only the first 1 x 4 x 2 = 8.");
    CHECK(
        dropped.lines[1] ==
        "If drop_last of the sampler were off, the sample would be assigned to rank 0, slot 3, and 6 samples would be "
        "repeated.");
    CHECK(valueOf(spec, "Per rank = ceil(n / (W x B)) x B") == "4");
    CHECK(bothDropLasts(spec).startsWith(
        "drop_last of the sampler drops n mod (W x B) = 10 mod (4 x 2) = 2 samples before"));
}

TEST_CASE("unpadded ranks repeat nothing, and two of them are shorter") {
    // 4 3 6 | 1 9 2 | 7 0 | 5 8
    const ShardSpec spec = specOf(SamplerKind::kUnpadded);
    CHECK(why(spec, {1, 2}) ==
          QStringList{"The sample is at position 9 of the shuffled order, and 9 mod 4 = 1; slot 9 div 4 = 2.",
                      "The order is randperm(10), seeded with seed + epoch - 1 = 0 + 0 = 0.",
                      "Step 2 of 2 uses slots 2 to 2, if the rank has that many: positions 8 to 9 of the order."});
    CHECK(cellContent(planOf(spec), 2, 2).kind == CellKind::None);
    CHECK(duplicatesSentence(planOf(spec)).isEmpty());
    CHECK(valueOf(spec, "Per rank, n / W rounded up or down") == "3 or 2");
    CHECK(valueOf(spec, "Last batch per rank") == "1 or 0");
    CHECK(valueOf(spec, "Padding (duplicates)") == "0");
    CHECK(explainGrid(sceneOf(spec)).lines[1].contains("3 or 2 samples"));
}

TEST_CASE("sequential and random samplers do not shard") {
    const ShardSpec sequential = specOf(SamplerKind::kSequential);
    CHECK(explain(sceneOf(sequential), {2, 3}).title == "Why is sample 3 on rank 2?");
    CHECK(why(sequential, {2, 3}) ==
          QStringList{
              "Nothing is sharded: each of 4 ranks uses the complete order, and slot 3 is position 3 on all of them.",
              "SequentialSampler uses the order of the data set, 0, 1, 2, ..., in every epoch.",
              "Step 2 of 5 uses slots 2 to 3 on all 4 ranks: only 2 of its 8 samples are distinct."});
    CHECK(valueOf(sequential, "Repeated on other ranks") == "30");
    CHECK(valueOf(sequential, "Per rank = all of n") == "10");
    CHECK(learningRateSentence(sequential).contains("the effective batch is only 2"));
    CHECK(sameOrderSentence(sequential).contains("the seed is not used"));
    // torch.manual_seed(0), DataLoader(shuffle=True): 6 7 1 4 2 0 9 8 3 5
    const ShardSpec random = specOf(SamplerKind::kRandom);
    CHECK(explain(sceneOf(random), {1, 0}).title == "Why is sample 6 on rank 1?");
    CHECK(why(random, {1, 0})[1] ==
          "After torch.manual_seed(seed + epoch - 1 = 0 + 0 = 0), the loader draws its own seed, and RandomSampler "
          "then draws the seed for randperm(10).");
    CHECK(explainGrid(sceneOf(random)).lines[2].contains("trains on each sample 4 times"));
}

TEST_CASE("draws are explained with the expected frequency of the sample") {
    // torch: WeightedRandomSampler([1/8] * 8 + [1/2] * 2, 10) with seed 0 draws 9 8 7 9 8 9 2 5 8 4.
    const ShardScene shared = eightAndTwo(specOf(SamplerKind::kDistributedWeighted));
    const Explanation explained = explain(shared, {0, 0});
    CHECK(explained.title == "Why is sample 9 on rank 0?");
    CHECK(
        explained.lines ==
        QStringList{"The sample is at position 0 of the padded sequence of draws, and 0 mod 4 = 0; slot 0 div 4 = 0.",
                    "The sequence consists of 10 draws with replacement, seeded with seed + epoch - 1 = 0 + 0 = 0.",
                    "class 1 has 2 samples of weight 1 / 2 each. In 10 draws each of them is expected 2.5 times; this "
                    "sample is drawn 3 times.",
                    "Step 1 of 2 uses slots 0 to 1 of every rank: positions 0 to 7 of the order."});
    const QStringList alike = explain(eightAndTwo(specOf(SamplerKind::kWeighted)), {3, 1}).lines;
    CHECK(alike[0].startsWith("Nothing is sharded: each of 4 ranks uses the complete sequence of draws"));
    CHECK(alike[2].endsWith("is drawn 3 times."));
    ShardSpec weighted = specOf(SamplerKind::kDistributedWeighted);
    weighted.classWeights = {1, 6};  // 8 x 1 + 2 x 6 = 20, of which a sample of class 1 has 6
    CHECK(explain(eightAndTwo(weighted), {0, 0})
              .lines[2]
              .contains("of weight 6 each. In 10 draws each of them is expected 3"));
}

TEST_CASE("class-balanced positions are explained with the alternation of classes") {
    // Without shuffle: 0 8 1 9 2 8 3 9 4 8
    ShardSpec spec = specOf(SamplerKind::kClassBalanced);
    spec.shuffle = false;
    const Explanation explained = explain(eightAndTwo(spec), {2, 1});
    CHECK(explained.title == "Why is sample 8 on rank 2?");
    CHECK(explained.lines[1] == "The classes alternate; the samples of each class are in the order of the data set.");
    CHECK(explained.lines[2] ==
          "The 2 classes alternate: position 5 is number 5 div 2 = 2 of class 1, which uses sample 2 mod 2 = 0 of its "
          "2 samples.");
}

TEST_CASE("a subset is explained with its samples") {
    ShardSpec spec = specOf(SamplerKind::kSubset);
    CHECK(why(spec, {0, 0})[1] ==
          "The subset is the first 5 of randperm(10) seeded with 0, in all epochs; the samples are shuffled by "
          "randperm(5), "
          "seeded with seed + epoch - 1 = 0 + 0 = 0.");
    CHECK(valueOf(spec, "Subset (k)") == "5");
    CHECK(valueOf(spec, "Per rank = ceil(k / W)") == "2");
    spec.subsetIndices = {9, 7, 5, 3, 1};
    spec.shuffle = false;
    CHECK(explain(sceneOf(spec), {1, 0}).title == "Why is sample 7 on rank 1?");
    CHECK(why(spec, {1, 0})[1] ==
          "The subset contains the 5 listed samples; shuffle is off, so the samples keep this order.");
    CHECK(why(spec, {1, 1})[1] == "The order has only 5 samples, so positions 5 to 7 repeat the first 3: 9, 7, 5.");
}

TEST_CASE("each mistake is explained with its effect on the sample") {
    ShardSpec spec = tenOnFour();
    spec.pitfalls = {.seedPerRank = true};
    // Seed 1 gives 5 6 1 2 0 8 9 3 7 4. Rank 0 has 4 3 6, rank 2 has 1 0 8, rank 3 has 7 9 0.
    CHECK(explain(sceneOf(spec), {1, 0}).warning);
    CHECK(explain(sceneOf(spec), {1, 0}).title == "Why is sample 6 on rank 1?");
    CHECK(why(spec, {1, 0})[1] ==
          "This rank's order is randperm(10), seeded with seed + epoch - 1 + rank = 0 + 0 + 1 = 1: every rank has a "
          "different order.");
    CHECK(why(spec, {1, 0})[2] == "Sample 6 is also trained on by rank 0.");
    CHECK(why(spec, {3, 0})[2] == "No other rank trains on sample 7 in this epoch.");

    spec.pitfalls = {.wrongRank = 2};
    CHECK(why(spec, {0, 0})[0] ==
          "Every process passes rank=2 to the sampler, so this rank also uses position 2 of the padded order: 2 mod 4 "
          "= 2, slot 2 div 4 = 0.");
    CHECK(why(spec, {0, 0})[2] == "Sample 7 is also trained on by rank 1, rank 2, rank 3.");

    spec.pitfalls = {.doubleSharding = true};
    spec.shuffle = false;  // rank 1 holds 1 5 9, and of these the sampler gives it position 1
    CHECK(explain(sceneOf(spec), {1, 0}).title == "Why is sample 5 on rank 1?");
    CHECK(why(spec, {1, 0})[2] ==
          "The data was already split: this rank holds only 3 samples, 1, 5, 9, ...; sample 1 + 4 x 1 = 5 has index 1 "
          "among these samples.");

    spec.pitfalls = {.wrongWorldSize = 8};
    CHECK(why(spec, {1, 0})[2] ==
          "There are no ranks 4 to 7, so no rank trains on positions p with p mod 8 from 4 to 7.");
    CHECK(
        explainGrid(sceneOf(spec)).lines[2].startsWith("A deliberate mistake: The sampler assigns samples to 8 ranks"));
}

TEST_CASE("the effective batch counts accumulated batches, and the learning rate follows it") {
    for (const EpochSummaryRow& row : epochSummaryRows(planOf(tenOnFour()), {}, 1, 3)) {
        if (row.name != "Effective batch") continue;
        CHECK(row.value == "12");  // three batches of two on four ranks would be 24, but a rank has three samples
        CHECK(row.tip.contains("multiplied by 6 for batches of 12"));
    }
    CHECK(learningRateSentence(tenOnFour(), 3).contains("multiplied by 6"));
}
