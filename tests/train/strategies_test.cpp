// SPDX-License-Identifier: Apache-2.0
// Tests that the bits of the result do not depend on the distribution of a model over the ranks.
#include "support/choices.h"
#include "train/interfaces/training_error.h"
#include "train/strategy_runs.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("FSDP ends with the bits of DDP at every level of sharding, with any unit") {
    const std::int64_t ranks = GENERATE(2, 3, 4);
    RunConfig config = blobs(ranks, 8);
    choose(config.optimizer.kind, ranks == 3 ? "adam" : "sgd");
    const Ended ddp = train(config);
    for (const char* shard : {"optimizer", "gradients", "parameters"}) {
        for (const char* unit : {"layer", "block", "whole"}) {
            CAPTURE(ranks, shard, unit);
            checkSame(train(sharded(config, shard, unit)), ddp);
        }
    }
}

TEST_CASE("replicas of sharded groups, accumulation and clipping end with the bits of DDP") {
    RunConfig config = accumulating(blobs(4, 4), 2);
    config.optimizer.clipGradNorm = 0.5;
    const Ended ddp = train(config);
    RunConfig replicas = sharded(config, "parameters", "block");
    replicas.mesh.replicate = 2;
    checkSame(train(replicas), ddp);
    checkSame(train(sharded(config, "gradients", "layer")), ddp);
    RunConfig none = sharded(config, "parameters", "layer");
    none.fsdp.prefetch = Prefetch::kNone;
    checkSame(train(none), ddp);
}

// On 4 ranks, the shards of 60, 50 and 40 rows do not end at the limits of blocks of any fixed size. Sums over shards
// would differ in the last bit.
TEST_CASE("clipping by the norm of odd shapes ends with the same bits under every strategy") {
    const auto clipped = [](std::int64_t ranks, std::int64_t batch) {
        RunConfig config = blobs(ranks, batch);
        config.model.hidden = {60, 50, 40};
        config.optimizer.clipGradNorm = 0.05;
        config.training.maxSteps = 10;
        return config;
    };
    const Ended ddp = train(clipped(4, 8));
    for (const char* shard : {"optimizer", "gradients", "parameters"}) {
        CAPTURE(shard);
        checkSame(train(sharded(clipped(4, 8), shard, "layer")), ddp);
        RunConfig replicas = sharded(clipped(4, 8), shard, "block");
        replicas.mesh.replicate = 2;
        checkSame(train(replicas), ddp);
    }
    const Ended one = train(accumulating(clipped(1, 4), 4));
    for (const char* schedule : {"gpipe", "zero_bubble"}) {
        CAPTURE(schedule);
        checkSame(train(pipelined(clipped(3, 16), schedule, 4)), one);
    }
    const Ended three = train(accumulating(clipped(3, 4), 2));
    RunConfig stages = pipelined(clipped(6, 8), "1f1b", 2);
    stages.mesh.shard = 3;
    checkSame(train(stages), three);
}

TEST_CASE("a residual's shortcut and body, sharded layer by layer, end with the bits of DDP") {
    RunConfig config = blobs(2, 8);
    config.model.kind = ModelKind::kLayers;
    config.model.layers = R"([{"kind": "linear", "out": 12}, {"kind": "residual",
        "layers": [{"kind": "linear", "out": 8}, {"kind": "relu"}, {"kind": "linear", "out": 10}],
        "shortcut": [{"kind": "linear", "out": 9}, {"kind": "gelu"}, {"kind": "linear", "out": 10}]},
        {"kind": "linear"}])";
    const Ended ddp = train(config);
    for (const char* prefetch : {"none", "next"}) {
        for (const char* recompute : {"none", "all"}) {
            CAPTURE(prefetch, recompute);
            RunConfig layers = sharded(config, "parameters", "layer");
            choose(layers.fsdp.prefetch, prefetch);
            choose(layers.training.recompute, recompute);
            checkSame(train(layers), ddp);
        }
    }
}

TEST_CASE("a residual that ranks skip, sharded layer by layer, ends with the bits of DDP") {
    RunConfig config = blobs(2, 8);
    config.model.kind = ModelKind::kLayers;
    config.model.layers = R"([{"kind": "linear", "out": 12}, {"kind": "residual", "skip": 0.5,
        "layers": [{"kind": "linear", "out": 8}, {"kind": "relu"}, {"kind": "linear", "out": 12}]},
        {"kind": "linear"}])";
    RunConfig ddp = config;
    ddp.parallel.findUnusedParameters = true;
    const Ended ended = train(ddp);
    for (const char* shard : {"gradients", "parameters"}) {
        CAPTURE(shard);
        checkSame(train(sharded(config, shard, "layer")), ended);
    }
}

TEST_CASE("a pipeline ends with the bits of one rank that accumulates its micro-batches") {
    const Ended one = train(accumulating(blobs(1, 4), 4));
    for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zero_bubble"}) {
        for (const std::int64_t ranks : {2, 3}) {
            CAPTURE(schedule, ranks);
            const bool isBoth = std::string(schedule) == "interleaved" && ranks == 2;
            const auto microBatches = 4;
            checkSame(train(pipelined(blobs(ranks, 16), schedule, microBatches, isBoth ? 2 : 1)), one);
        }
    }
    RunConfig byHand = pipelined(blobs(2, 16), "1f1b", 4);
    byHand.pipeline.split = {1, 4};
    checkSame(train(byHand), one);
}

TEST_CASE("a schedule read from a file ends with the same bits") {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "own.csv";
    // Backward passes alternate with the forward passes of the second half. One rank holds stages 0 and 1, the other
    // one stage 2.
    writeFileAtomically(file, "0F0,1F0,0F1,1F1,1B0,0B0,1B1,0B1\n2F0,2B0,2F1,2B1\n");
    RunConfig config = pipelined(blobs(2, 8), "1f1b", 2);
    config.pipeline.scheduleFile = file.string();
    checkSame(train(config), train(accumulating(blobs(1, 4), 2)));
}

TEST_CASE("model parallelism ends with the bits of one rank") {
    RunConfig config = blobs(3, 16);
    config.parallel.strategy = StrategyKind::kModelParallel;
    checkSame(train(config), train(blobs(1, 16)));
}

TEST_CASE("replicas of pipelines and sharded stages end with the bits of equally many accumulating ranks") {
    RunConfig reference = accumulating(blobs(2, 4), 4);
    reference.optimizer.clipGradNorm = 0.5;
    const Ended two = train(reference);
    for (const bool shards : {false, true}) {
        for (const char* schedule : {"1f1b", "zero_bubble"}) {
            CAPTURE(shards, schedule);
            RunConfig config = pipelined(blobs(4, 16), schedule, 4);
            config.optimizer.clipGradNorm = 0.5;
            (shards ? config.mesh.shard : config.mesh.replicate) = 2;
            checkSame(train(config), two);
        }
    }
}

TEST_CASE("a transformer with dropout ends with the same bits under every strategy") {
    const TemporaryDirectory directory;
    const auto two = [&](std::int64_t batch) { return text(2, batch, directory.path()); };
    const Ended ddp = train(two(4));
    for (const char* unit : {"layer", "block"}) {
        CAPTURE(unit);
        checkSame(train(sharded(two(4), "parameters", unit)), ddp);
    }
    RunConfig again = two(4);
    for (const char* which : {"blocks", "all"}) {
        CAPTURE(which);
        choose(again.training.recompute, which);
        checkSame(train(again), ddp);
        checkSame(train(sharded(again, "parameters", "block")), ddp);
    }
    const Ended one = train(accumulating(text(1, 2, directory.path()), 4));
    for (const char* schedule : {"gpipe", "1f1b", "zero_bubble"}) checkSame(train(pipelined(two(8), schedule, 4)), one);
    RunConfig pipelineAgain = pipelined(two(8), "1f1b", 4);
    pipelineAgain.training.recompute = Recompute::kBlocks;
    checkSame(train(pipelineAgain), one);
}

TEST_CASE("a run of one strategy resumes under another without a change of results") {
    const TemporaryDirectory directory;
    RunConfig ddp = blobs(2, 8);
    ddp.optimizer.kind = OptimizerKind::kAdam;
    ddp.optimizer.lr = 0.01;
    const Ended whole = train(ddp);
    RunConfig first = sharded(ddp, "parameters", "block");
    first.training.maxSteps = 16;  // the steps of the first epoch
    trainAsThreads(first, {.runDirectory = directory.path() / "first", .stopAfter = {}});
    for (const char* strategy : {"ddp", "fsdp"}) {
        RunConfig rest = ddp;
        choose(rest.parallel.strategy, strategy);
        rest.training.resume = (directory.path() / "first").string();
        checkSame(train(rest), whole);
    }
    // From there on, a step has other samples, but training begins with the same weights.
    RunConfig pipeline = pipelined(ddp, "1f1b", 4);
    pipeline.training.resume = (directory.path() / "first").string();
    CHECK(train(pipeline).ranks[0].steps.front().step == 17);
}

TEST_CASE("samples of a pipeline are reported once, by its first rank only") {
    const Ended ended = train(pipelined(blobs(2, 16), "1f1b", 4));
    CHECK(ended.ranks[0].steps.front().samples == 16);
    CHECK(ended.ranks[1].steps.front().samples == 0);
    CHECK(ended.ranks[1].steps.front().loss == ended.ranks[0].steps.front().loss);
    CHECK(ended.ranks[0].all<Consumed>().size() == 2);
    CHECK(ended.ranks[1].all<Consumed>().empty());
    CHECK(ended.ranks[0].all<Replica>().back().hash == ended.ranks[1].all<Replica>().back().hash);
    CHECK(ended.ranks[0].results("train").front().samples == 256);
}

TEST_CASE("a stop and a checkpoint in the middle of an epoch reach all ranks of a mesh") {
    const TemporaryDirectory directory;
    const RunConfig config = pipelined(blobs(2, 16), "zero_bubble", 4);
    const auto ranks = trainAsThreads(
        config, {.runDirectory = directory.path(), .stopAfter = [](std::int64_t step) { return step == 5; }});
    for (const RankReport& rank : ranks) CHECK(rank.outcome == TrainOutcome::kStopped);
    CHECK(ranks[0].steps.size() == ranks[1].steps.size());
    CHECK(ranks[0].all<CheckpointSaved>().size() == 1);
}

TEST_CASE("a model that is too large for a rank under DDP fits when it is sharded") {
    RunConfig config = blobs(4, 8);
    config.model.hidden = {256, 256, 256, 256, 256, 256};
    config.optimizer.kind = OptimizerKind::kAdam;
    config.training.maxSteps = 2;
    config.parallel.memoryLimitMb = 3;  // the whole model needs four times 1.3 MiB
    CHECK_THROWS_WITH(trainAsThreads(config),
                      Catch::Matchers::Contains("parallel.memory_limit_mb allows this rank 3.0 MiB"));
    const auto ranks = trainAsThreads(sharded(config, "parameters", "layer"));
    CHECK(ranks[0].steps.size() == 2);
    const RankMemory memory = ranks[0].all<RankMemory>().front();
    // Rows over four ranks: 64 x 10, five times 64 x 256, 1 x 256 and their biases 64, 64, 1, in whole lines of 16.
    const std::int64_t values = 64 * 10 + 64 + 5 * (64 * 256 + 64) + 256 + 16;
    CHECK(memory.parameters == 4 * values);
    CHECK(memory.gradients == 4 * values);
    CHECK(memory.peak <= 3 << 20);
}

TEST_CASE("more stages than layers are refused with how many there are") {
    RunConfig config = pipelined(blobs(8, 16), "gpipe", 4);
    CHECK_THROWS_WITH(trainAsThreads(config),
                      Catch::Matchers::Contains("makes 8 stages, but the model can be cut into at most 5 parts"));
    config = pipelined(blobs(2, 16), "gpipe", 4);
    config.pipeline.split = {1, 2};
    CHECK_THROWS_WITH(trainAsThreads(config), Catch::Matchers::Contains("adds up to 3, but the model has 5 layers"));
}
