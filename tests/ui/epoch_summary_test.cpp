// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/summary/epoch_summary.h"

#include <QMap>

#include "plans.h"
#include "shards/summary/epoch_summary_sentences.h"
#include "support/catch.h"

using namespace ringside;

namespace {

QMap<QString, QString> epochSummaryOf(const ShardSpec& spec, const Coverage* counted = nullptr, qint64 epochs = 10) {
    QMap<QString, QString> values;
    const EpochSummaryCounts counts{counted, countTrainedSamples(planOf(spec))};
    for (const EpochSummaryRow& row : epochSummaryRows(planOf(spec), counts, epochs)) values[row.name] = row.value;
    return values;
}

RunConfig configOf(qint64 world, bool dropLast, qint64 epochs) {
    RunConfig config;
    config.parallel.worldSize = world;
    config.sampler.dropLast = dropLast;
    config.training.epochs = epochs;
    config.loader.batchSize = 2;
    return config;
}

}  // namespace

TEST_CASE("ten samples on four ranks: two are repeated") {
    const auto values = epochSummaryOf(tenOnFour());
    CHECK(values["Samples"] == "10");
    CHECK(values["World size"] == "4");
    CHECK(values["Per rank = ceil(n / W)"] == "3");
    CHECK(values["Padding (duplicates)"] == "2");
    CHECK(values["Dropped by sampler"] == "0");
    CHECK(values["Dropped by loader"] == "0");
    CHECK(values["Steps per epoch"] == "2");
    CHECK(values["Global batch"] == "8");
    CHECK(values["Last batch per rank"] == "1");
    CHECK(values["Unique seen"] == "10 (100 %)");
    CHECK(values["Never seen in 10 epochs"] == "counting");
}

// First two replicas of a pipeline of two ranks, then one process with four devices. W is the number of data-parallel
// ranks.
TEST_CASE("with pipelines the summary counts data-parallel ranks and all ranks, and W is the former") {
    ShardSpec spec = tenOnFour();
    spec.worldSize = 2;
    const auto valuesOf = [&](const EpochSummaryCounts& counts) {
        QMap<QString, QString> values;
        for (const EpochSummaryRow& row : epochSummaryRows(planOf(spec), counts, 10)) values[row.name] = row.value;
        return values;
    };
    const auto pipelines = valuesOf({.ranks = 4});
    CHECK(pipelines["Data-parallel ranks (W)"] == "2");
    CHECK(pipelines["World size"] == "4");
    CHECK(pipelines["Per rank = ceil(n / W)"] == "5");
    CHECK_FALSE(valuesOf({.ranks = 2}).contains("Data-parallel ranks (W)"));
    spec.worldSize = 1;
    const auto devices = valuesOf({.devices = 4});
    CHECK(devices["Data-parallel ranks (W)"] == "1");
    CHECK(devices["Devices"] == "4");
    CHECK_FALSE(devices.contains("World size"));
}

TEST_CASE("a missing set_epoch call is shown as one order for all epochs, in red") {
    const ShardPlan plan = planOf(tenOnFour());
    const auto ordersOf = [&](const EpochSummaryCounts& counts, qint64 epochs) {
        for (const EpochSummaryRow& row : epochSummaryRows(plan, counts, epochs))
            if (row.name.startsWith("Distinct orders")) return row;
        return EpochSummaryRow{};
    };
    const EpochSummaryRow right = ordersOf({}, 10);
    CHECK(right.name == "Distinct orders in 10 epochs");
    CHECK(right.value == "10");
    const EpochSummaryRow forgotten = ordersOf({nullptr, {}, false, "set_epoch is not called"}, 10);
    CHECK(forgotten.value == "1");
    CHECK(forgotten.tone == (plan.spec().shuffle ? Tone::Danger : Tone::Warning));
    CHECK(forgotten.tip.contains("set_epoch is not called"));
    CHECK(ordersOf({}, 1).name.isEmpty());
}

TEST_CASE("ten samples on four ranks with the sampler's drop_last: two are dropped") {
    ShardSpec spec = tenOnFour();
    spec.dropLast = true;
    const auto values = epochSummaryOf(spec);
    CHECK(values["Per rank = floor(n / W)"] == "2");
    CHECK(values["Padding (duplicates)"] == "0");
    CHECK(values["Dropped by sampler"] == "2");
    CHECK(values["Steps per epoch"] == "1");
    CHECK(values["Last batch per rank"] == "2");
    CHECK(values["Unique seen"] == "8 (80 %)");
}

TEST_CASE("ten samples on four ranks with the loader's drop_last: one slot of each rank is left out") {
    ShardSpec spec = tenOnFour();
    spec.loaderDropLast = true;
    const auto values = epochSummaryOf(spec);
    CHECK(values["Padding (duplicates)"] == "2");
    CHECK(values["Dropped by loader"] == "4");
    CHECK(values["Steps per epoch"] == "1");
    CHECK(values["Unique seen"] == "8 (80 %)");
}

TEST_CASE("a percentage below 100 is not rounded to 100") {
    ShardSpec spec;
    spec.datasetSize = 1'281'167;
    spec.worldSize = 64;
    spec.dropLast = true;
    CHECK(epochSummaryOf(spec)["Unique seen"] == "1,281,152 (99.99 %)");
    CHECK(epochSummaryOf(spec)["Dropped by sampler"] == "15");
}

TEST_CASE("samples never used are those that every epoch drops") {
    // torch.randperm(10) with seeds 0 and 1 ends in 6 2 and 7 4: nothing is dropped twice.
    CHECK(coverage(configOf(4, true, 1), 10) == Coverage{10, 1, 2});
    CHECK(coverage(configOf(4, true, 2), 10).neverSeen == 0);
    // Without set_epoch, or without shuffle, the same two are lost in all epochs.
    RunConfig forgotten = configOf(4, true, 100);
    forgotten.sampler.setEpoch = false;
    CHECK(coverage(forgotten, 10) == Coverage{10, 100, 2});
    RunConfig ordered = configOf(4, true, 100);
    ordered.sampler.shuffle = false;
    CHECK(coverage(ordered, 10) == Coverage{10, 100, 2});
    // Padding drops no sample. An empty shard uses no sample.
    CHECK(coverage(configOf(4, false, 3), 10).neverSeen == 0);
    CHECK(coverage(configOf(16, true, 5), 10).neverSeen == 10);
}

TEST_CASE("the summary names the rank and sample of a duplicate") {
    // torch.randperm(10) seeded with 0 begins 4 1: positions 10 and 11 repeat them.
    CHECK(duplicatesSentence(planOf(tenOnFour())) ==
          "rank 2 trains on sample 4 again, rank 3 trains on sample 1 again.");
    ShardSpec many = tenOnFour();
    many.datasetSize = 11;
    many.worldSize = 64;
    CHECK(duplicatesSentence(planOf(many)).endsWith(", and 45 more."));  // 53 samples in all, of which 8 are named
    many.dropLast = true;
    CHECK(duplicatesSentence(planOf(many)).isEmpty());
}

TEST_CASE("both drop_last settings are compared") {
    // 10 mod 4 = 2; ceil(10 / 4) = 3 per rank and 3 mod 2 = 1 of each is left out.
    CHECK(bothDropLasts(tenOnFour()).contains("10 mod 4 = 2 samples before the assignment"));
    CHECK(bothDropLasts(tenOnFour()).contains("1 samples on each rank, 4 in total."));
}

TEST_CASE("seeds and epochs that share an order are named") {
    ShardSpec spec = tenOnFour();
    spec.seed = 3;
    spec.epoch = 2;
    CHECK(sameOrderSentence(spec).contains("3 + 2 = 5, so seed 5 has the same order in epoch 1"));
    spec.epoch = 0;
    CHECK(sameOrderSentence(spec).contains("seed 2 has the same order in epoch 2"));
    spec.seed = INT64_MAX;
    CHECK(sameOrderSentence(spec).isEmpty());
    CHECK(learningRateSentence(spec).contains("multiplied by 4 for batches of 8"));
}

// torch's DataLoader over range(10) with the samplers range(10)[rank::4], which have 3, 3, 2 and 2 samples.
TEST_CASE("the summary of unpadded shards counts the samples of each rank") {
    ShardSpec spec = tenOnFour();
    spec.kind = SamplerKind::kUnpadded;
    spec.batchSize = 3;
    auto values = epochSummaryOf(spec);
    CHECK(values["Global batch"] == "10");
    CHECK(values["Steps per epoch"] == "1");
    CHECK(values["Last batch per rank"] == "3 or 2");
    CHECK(values["Dropped by loader"] == "0");
    spec.loaderDropLast = true;
    values = epochSummaryOf(spec);
    CHECK(values["Global batch"] == "6");
    CHECK(values["Steps per epoch"] == "1 or 0");
    CHECK(values["Last batch per rank"] == "3 or 0");
    CHECK(values["Dropped by loader"] == "4");
    CHECK(values["Unique seen"] == "6 (60 %)");
    spec.batchSize = 2;
    values = epochSummaryOf(spec);
    CHECK(values["Dropped by loader"] == "2");
    CHECK(values["Steps per epoch"] == "1");
    CHECK(values["Last batch per rank"] == "2");
    spec.loaderDropLast = false;
    CHECK(epochSummaryOf(spec)["Steps per epoch"] == "2 or 1");
    spec.datasetSize = 30;  // 8, 8, 7 and 7
    spec.batchSize = 5;
    spec.loaderDropLast = true;
    CHECK(epochSummaryOf(spec)["Dropped by loader"] == "10");
    for (const EpochSummaryRow& row : epochSummaryRows(planOf(spec), {}, 10))
        if (row.name == "Dropped by loader")
            CHECK(row.tip.startsWith("3 on 2 ranks and 2 on 2 ranks: the incomplete last batch"));
    CHECK(bothDropLasts(spec).endsWith("the incomplete last batch: 3 on 2 ranks and 2 on 2 ranks, 10 in total."));
    CHECK(learningRateSentence(spec).contains("multiplied by 4 for batches of 20"));
}

// PyTorch: DataLoader(range(10), batch_size=4, drop_last=True) yields 8 samples.
TEST_CASE("the effective batch has at most the samples that the loader keeps") {
    ShardSpec spec = tenOnFour();
    spec.worldSize = 1;
    spec.batchSize = 4;
    spec.loaderDropLast = true;
    for (const EpochSummaryRow& row : epochSummaryRows(planOf(spec), {}, 10, 3))
        if (row.name == "Effective batch") CHECK(row.value == "8");
}
