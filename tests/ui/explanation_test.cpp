// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/explanation.h"

#include "plans.h"
#include "shards/scene/device_chunks.h"
#include "support/catch.h"

using namespace ringside;

TEST_CASE("a duplicate is explained by the padding it comes from") {
    ShardSpec spec;  // torch.randperm(1437) seeded with 2 begins 408 712 608; its position 1436 holds 320
    spec.datasetSize = 1437;
    spec.worldSize = 4;
    spec.epoch = 2;
    spec.batchSize = 32;
    const Explanation why = explain(sceneOf(spec), {1, 359});
    CHECK(why.title == "Why is sample 408 on rank 1?");
    REQUIRE(why.lines.size() == 3);
    CHECK(why.lines[0] ==
          "The sample is at position 1437 of the padded order, and 1437 mod 4 = 1; slot 1437 div 4 = 359.");
    CHECK(why.lines[1] ==
          "The order has only 1,437 samples, so positions 1437 to 1439 repeat the first 3: 408, 712, 608.");
    CHECK(why.lines[2] ==
          "The sample is first used at position 0: rank 0, slot 0, step 1. "
          "If drop_last of the sampler were on, sample 320 would be dropped instead.");
}

TEST_CASE("an ordinary cell is explained by the formula and its step") {
    const Explanation why = explain(sceneOf(tenOnFour()), {1, 1});
    CHECK(why.title == "Why is sample 9 on rank 1?");
    CHECK(why.lines[0] == "The sample is at position 5 of the padded order, and 5 mod 4 = 1; slot 5 div 4 = 1.");
    CHECK(why.lines[1] == "The order is randperm(10), seeded with seed + epoch - 1 = 0 + 0 = 0.");
    CHECK(why.lines[2] == "Step 1 of 2 uses slots 0 to 1 of every rank: positions 0 to 7 of the order.");
}

// torch.chunk() of 10 samples on 4 devices gives 3 3 3 1; of 9 samples, it gives 3 3 3, and the fourth device gets
// none.
TEST_CASE("a batch of data_parallel is split over the devices as by torch.chunk") {
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 19;
    spec.worldSize = 1;
    spec.batchSize = 10;
    const ShardPlan plan = planOf(spec);
    std::vector<int> devices;
    for (std::int64_t slot = 0; slot < 19; ++slot) devices.push_back(chunkAt(plan, 4, 0, slot).device);
    CHECK(devices == std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 0, 0, 0, 1, 1, 1, 2, 2, 2});
    CHECK(chunkAt(plan, 4, 0, 9).count == 1);
    CHECK(chunkAt(plan, 4, 0, 14).first == 13);
    ShardScene scene = sceneOf(spec);
    scene.devices = 4;
    CHECK(explain(scene, {0, 9}).lines.back() ==
          "torch.chunk splits its batch of 10 into chunks of ceil(10 / 4) = 3: the 1 samples from slot 9 on are sent "
          "to device 3.");
    CHECK(cellTip(scene, {0, 4}).contains("device 1"));
}

TEST_CASE("a dropped sample is explained by the position it has") {
    ShardSpec spec = tenOnFour();
    spec.dropLast = true;
    const Explanation why = explain(sceneOf(spec), {1, 2});
    CHECK(why.title == "Why does no rank get sample 2?");
    CHECK(why.lines[0] ==
          "The sample is at position 9 of the order, and drop_last of the sampler keeps only the first 2 x 4 = 8.");
    CHECK(why.lines[1] ==
          "If drop_last of the sampler were off, the sample would be assigned to rank 9 mod 4 = 1, and 2 samples would "
          "be repeated.");
    CHECK(why.lines[2] == "Each epoch shuffles again and drops other samples.");
}

TEST_CASE("an empty shard is explained with the remedy") {
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 3;
    spec.dropLast = true;
    const Explanation why = explainEmptyShard(sceneOf(spec));
    CHECK(why.title == "No rank gets any sample");
    CHECK(why.lines[0].contains("floor(3 / 4) = 0"));
    CHECK(why.lines[1].contains("at most 3 ranks"));
}

TEST_CASE("a seed and an epoch beyond a signed 64-bit sum are added as PyTorch adds them") {
    ShardSpec spec = tenOnFour();
    spec.seed = 9223372036854775807LL;
    spec.epoch = 1;
    CHECK(explain(sceneOf(spec), {0, 0}).lines[1].endsWith("= 9223372036854775808."));
    spec.seed = -3;
    CHECK(explain(sceneOf(spec), {0, 0}).lines[1].endsWith("-3 + 1 = -2."));
}

// Unpadded and in order: 0 4 8 | 1 5 9 | 2 6 | 3 7. In batches of three, the loader keeps one batch of ranks 0 and 1.
TEST_CASE("a step that shorter ranks do not have is explained with its ranks") {
    ShardSpec spec = tenOnFour();
    spec.kind = SamplerKind::kUnpadded;
    spec.shuffle = false;
    spec.batchSize = 3;
    spec.loaderDropLast = true;
    CHECK(explain(sceneOf(spec), {1, 1}).lines.back() ==
          "Step 1 of 1 uses slots 0 to 2 of ranks 0 to 1; the other ranks have no complete batch.");
    CHECK(explain(sceneOf(spec), {2, 1}).lines.back() ==
          "The rank has 2 = 0 x 3 + 2 samples: drop_last of the loader drops the last 2, so the sample is not used in "
          "this epoch.");
    CHECK(explainGrid(sceneOf(spec)).lines.back() ==
          "drop_last of the loader drops 4 samples in incomplete last batches; they are shown dashed.");
    spec.datasetSize = 9;  // 3, 2, 2, 2
    CHECK(explain(sceneOf(spec), {0, 1}).lines.back() ==
          "Step 1 of 1 uses slots 0 to 2 of rank 0; the other ranks have no complete batch.");
    spec.batchSize = 2;
    CHECK(explain(sceneOf(spec), {0, 1}).lines.back() ==
          "Step 1 of 1 uses slots 0 to 1 of every rank: positions 0 to 7 of the order.");
}

TEST_CASE("a sample that a mistake leaves out is explained by the mistake") {
    ShardSpec spec = tenOnFour();
    spec.pitfalls.wrongWorldSize = 8;
    const Explanation why = explainUnused(sceneOf(spec), 5);
    CHECK(why.title == "Why does no rank get sample 5?");
    CHECK(why.warning);
    CHECK(why.lines.back() == "A deliberate mistake: The sampler assigns samples to 8 ranks, but there are 4.");
    ShardSpec subset = tenOnFour();
    subset.kind = SamplerKind::kSubset;
    CHECK(explainUnused(sceneOf(subset), 5).lines ==
          QStringList{"The sample is not in the subset of 5 samples that the sampler selects."});
}
