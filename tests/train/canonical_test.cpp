// SPDX-License-Identifier: Apache-2.0
// Tests of training.reduction canonical: the hash of the weights is the same for any number of ranks that train the
// global batch, and for any distribution of the model over them.
#include "parallel/reduce/exact_norm.h"
#include "train/interfaces/training_error.h"
#include "train/strategy_runs.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct Layout {
    std::string name;
    RunConfig config;
};

RunConfig canonical(RunConfig config) {
    config.training.reduction = ReductionOrder::kCanonical;
    return config;
}

// make(ranks, batch) returns the experiment for this number of data-parallel ranks.
template <class Make>
std::vector<Layout> layoutsOf(std::int64_t globalBatch, const Make& make) {
    std::vector<Layout> layouts;
    const auto add = [&](const std::string& name, const RunConfig& config) {
        layouts.push_back({name, canonical(config)});
    };
    for (const std::int64_t ranks : {2, 4, 8}) add("ddp of " + std::to_string(ranks), make(ranks, globalBatch / ranks));
    for (const char* shard : {"optimizer", "gradients", "parameters"})
        add(std::string("fsdp ") + shard, sharded(make(4, globalBatch / 4), shard, "block"));
    RunConfig hsdp = sharded(make(4, globalBatch / 4), "parameters", "layer");
    hsdp.mesh.replicate = 2;
    add("hsdp", hsdp);
    for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zero_bubble"})
        add(schedule, pipelined(make(2, globalBatch), schedule, 4, std::string(schedule) == "interleaved" ? 2 : 1));
    for (const bool shards : {false, true}) {
        RunConfig hybrid = pipelined(make(4, globalBatch / 2), shards ? "1f1b" : "zero_bubble", 4);
        (shards ? hybrid.mesh.shard : hybrid.mesh.replicate) = 2;
        add(shards ? "sharded stages" : "replicas of pipelines", hybrid);
    }
    RunConfig stages = make(3, globalBatch);
    stages.parallel.strategy = StrategyKind::kModelParallel;
    add("model_parallel", stages);
    RunConfig again = make(2, globalBatch / 2);
    again.training.recompute = Recompute::kAll;
    add("recompute", again);
    return layouts;
}

template <class Make>
void checkOneHash(std::int64_t globalBatch, const Make& make) {
    const Ended one = train(canonical(make(1, globalBatch)));
    for (const Layout& layout : layoutsOf(globalBatch, make)) {
        CAPTURE(layout.name);
        checkSame(train(layout.config), one);
    }
}

}  // namespace

TEST_CASE("a canonical reduction ends with one hash on 1, 2, 4 and 8 ranks under every strategy") {
    // 256 samples: ten batches of 24, with three samples in each leaf of the summation tree, and a last batch of 16.
    checkOneHash(24, [](std::int64_t ranks, std::int64_t batch) {
        RunConfig config = blobs(ranks, batch);
        config.optimizer.clipGradNorm = 0.5;
        return config;
    });
}

TEST_CASE("a canonical reduction of a transformer with dropout and Adam ends with one hash") {
    const TemporaryDirectory directory;
    checkOneHash(16, [&](std::int64_t ranks, std::int64_t batch) { return text(ranks, batch, directory.path()); });
}

TEST_CASE("a canonical reduction of a convolutional network ends with one hash") {
    checkOneHash(16, [&](std::int64_t ranks, std::int64_t batch) {
        RunConfig config = blobs(ranks, batch);
        config.dataset.kind = DatasetKind::kDigits;
        config.model.kind = ModelKind::kSimpleCnn;
        config.sampler.dropLast = config.loader.dropLast = true;
        config.training.maxSteps = 4;
        return config;
    });
}

TEST_CASE("under a canonical reduction batch norm uses leaves, and its statistics have one hash") {
    const auto residual = [&](std::int64_t ranks, std::int64_t batch) {
        RunConfig config = blobs(ranks, batch);
        config.dataset.kind = DatasetKind::kDigits;
        config.model.kind = ModelKind::kResidualCnn;
        config.model.width = 4;
        config.model.depth = 1;
        config.sampler.dropLast = config.loader.dropLast = true;
        config.training.maxSteps = 4;
        return config;
    };
    checkOneHash(16, residual);
}

TEST_CASE("a last batch of fewer samples than leaves is summed in the same tree") {
    const auto make = [](std::int64_t ranks, std::int64_t batch) {
        RunConfig config = canonical(blobs(ranks, batch));
        config.dataset.size = 325;  // 260 training samples: eight batches of 32 and one of 4
        return config;
    };
    const Ended one = train(make(1, 32));
    checkSame(train(make(2, 16)), one);
    checkSame(train(make(4, 8)), one);
    checkSame(train(sharded(make(4, 8), "parameters", "layer")), one);
    checkSame(train(pipelined(make(2, 32), "1f1b", 4)), one);
}

TEST_CASE("a canonical run resumes under another strategy and world size without a change of results") {
    const TemporaryDirectory directory;
    const Ended whole = train(canonical(blobs(1, 16)));
    RunConfig first = canonical(sharded(blobs(4, 4), "parameters", "block"));
    first.training.maxSteps = 16;  // the steps of the first epoch
    trainAsThreads(first, {.runDirectory = directory.path() / "first", .stopAfter = {}});
    RunConfig rest = canonical(pipelined(blobs(2, 16), "1f1b", 8));
    rest.training.resume = (directory.path() / "first").string();
    checkSame(train(rest), whole);
}

TEST_CASE("a canonical reduction differs from the usual one only by rounding") {
    const auto last = [](const RunConfig& config) { return train(config).ranks[0].results("val").back().loss; };
    CHECK(last(canonical(blobs(2, 8))) == Approx(last(blobs(2, 8))).epsilon(1e-4));
}

TEST_CASE("settings without a canonical sum are refused with the remedy") {
    RunConfig config = canonical(blobs(4, 8));
    const auto firstProblem = [&] { return config.validateForTraining().at(0).text(); };
    config.training.leaves = 2;
    CHECK_THAT(firstProblem(), Catch::Matchers::Contains("training.leaves") &&
                                   Catch::Matchers::Contains("is 2, which 4 ranks that read samples cannot share"));
    config.training.leaves = 12;
    CHECK_THAT(firstProblem(), Catch::Matchers::Contains("is 12, which is not a power of two"));
    config.training.leaves = 8;
    config.training.accumulateSteps = 2;
    CHECK_THAT(firstProblem(), Catch::Matchers::Contains("training.accumulate_steps"));
    config.training.accumulateSteps = 1;
    config.sampler.kind = SamplerKind::kContiguous;
    CHECK_THAT(firstProblem(), Catch::Matchers::Contains("the sampler contiguous assigns them in another way"));
    config.sampler.kind = SamplerKind::kDistributed;
    config = pipelined(config, "1f1b", 4);
    config.mesh.replicate = 4;
    config.parallel.worldSize = 8;
    CHECK_THAT(firstProblem(), Catch::Matchers::Contains("has 2 parts (training.leaves), which are the micro-batches"));
}

TEST_CASE("the exact sum of squares is equal for any split and handles tiny and huge values") {
    const std::vector<float> values{1e-30F, 3, -4, 1e18F, 1e-42F, 0, 0.1F};
    ExactSquares whole;
    whole.add(values);
    ExactSquares parts;
    parts.add(std::span(values).last(4));
    parts.add(std::span(values).first(3));
    CHECK(whole.total() == parts.total());
    CHECK(whole.total() == Approx(1e36).epsilon(1e-6));
    ExactSquares small;
    small.add(std::span(values).subspan(1, 2));
    CHECK(small.total() == 25);
    ExactSquares none;
    const std::vector<float> infinite{1, std::numeric_limits<float>::infinity()};
    none.add(infinite);
    CHECK(std::isnan(none.total()));
}
