// SPDX-License-Identifier: Apache-2.0
#include "config/mesh.h"

#include "support/catch.h"
#include "support/choices.h"

using namespace ringside;

namespace {

RunConfig withStrategy(const std::string& strategy, std::int64_t worldSize, const MeshConfig& mesh = {}) {
    RunConfig config;
    choose(config.parallel.strategy, strategy);
    config.parallel.worldSize = worldSize;
    config.mesh = mesh;
    return config;
}

std::string firstProblem(const RunConfig& config) {
    const Problems problems = config.validate();
    return problems.empty() ? "" : problems.front().text();
}

}  // namespace

TEST_CASE("the mesh follows from the name of the strategy") {
    CHECK(meshOf(withStrategy("ddp", 4)) == Mesh{4, 1, 1});
    CHECK(meshOf(withStrategy("fsdp", 4)) == Mesh{1, 4, 1});
    CHECK(meshOf(withStrategy("pipeline", 4)) == Mesh{1, 1, 4});
    CHECK(meshOf(withStrategy("model_parallel", 4)) == Mesh{1, 1, 4});
    CHECK(meshOf(withStrategy("fsdp", 8, {.replicate = 2})) == Mesh{2, 4, 1});
    CHECK(meshOf(withStrategy("pipeline", 8, {.shard = 2})) == Mesh{1, 2, 4});
    CHECK(meshOf(withStrategy("pipeline", 8, {.replicate = 2, .shard = 2})) == Mesh{2, 2, 2});
}

TEST_CASE("ranks are numbered with the pipeline outermost and the shard innermost") {
    const Mesh mesh{2, 2, 2};
    const RankLayout five{mesh, 5};  // (1 * 2 + 0) * 2 + 1
    CHECK(five.pipelineIndex() == 1);
    CHECK(five.replicateIndex() == 0);
    CHECK(five.shardIndex() == 1);
    CHECK(five.dataRank() == 1);
    CHECK_FALSE(five.isFirstPipelineRank());
    CHECK(RankLayout{mesh, 3}.isFirstPipelineRank());
    CHECK(RankLayout{mesh, 3}.dataRank() == 3);
    CHECK(RankLayout{{4, 1, 1}, 2}.isWhole());
    CHECK_FALSE(RankLayout{{1, 4, 1}, 2}.isWhole());
}

TEST_CASE("the ranks of a pipeline train on the same samples, so the global batch is smaller") {
    RunConfig config = withStrategy("pipeline", 8, {.replicate = 2});
    config.loader.batchSize = 16;
    CHECK(config.dataRanks() == 2);
    CHECK(config.globalBatch() == 32);
}

TEST_CASE("contradictory meshes are refused with the remedy") {
    CHECK(firstProblem(withStrategy("fsdp", 4, {.replicate = 3})) ==
          "mesh is 3 x 1 x 1 (replicate x shard x pipeline), that is 3 ranks, but parallel.world_size is 4: set "
          "parallel.world_size to 3, or set one of the three numbers of mesh to 0, so that it is derived");
    CHECK(firstProblem(withStrategy("ddp", 4, {.replicate = 2, .shard = 2})) ==
          "parallel.strategy is ddp, but the mesh is 2 x 2 x 1 (replicate x shard x pipeline): set "
          "parallel.strategy to fsdp");
    RunConfig config = withStrategy("pipeline", 2);
    config.loader.batchSize = 30;
    CHECK(firstProblem(config) ==
          "pipeline.micro_batches is 4, which does not divide loader.batch_size 30: micro-batches must have equal "
          "sizes: use 3 or 5, or a loader.batch_size of 32");
    config.pipeline.microBatches = 60;
    CHECK(firstProblem(config) ==
          "pipeline.micro_batches is 60, which does not divide loader.batch_size 30: micro-batches must have equal "
          "sizes: use 30, or a loader.batch_size of 60");
    config.loader.batchSize = 1;
    config.pipeline.microBatches = 4;
    CHECK(firstProblem(config).find("must have equal sizes: a loader.batch_size of 4") != std::string::npos);
    config = withStrategy("pipeline", 4);
    config.pipeline.microBatches = 3;  // of the divisors of 32 near it, 1f1b on 4 stages takes no 2
    CHECK(firstProblem(config).find("must have equal sizes: use 4, or a loader.batch_size of 33") != std::string::npos);
    config.pipeline.schedule = PipelineScheduleKind::kGpipe;
    CHECK(firstProblem(config).find("must have equal sizes: use 2 or 4, or a loader.batch_size of 33") !=
          std::string::npos);
    config = withStrategy("pipeline", 8);
    CHECK(firstProblem(config) ==
          "pipeline.micro_batches is 4, but 1f1b on 8 stages needs at least one micro-batch for each "
          "stage: use 8 or more, or gpipe");
    config = withStrategy("pipeline", 2);
    config.pipeline.stagesPerRank = 2;
    CHECK(firstProblem(config) ==
          "pipeline.stages_per_rank is 2, but 1f1b has one stage on each rank: set pipeline.stages_per_rank to "
          "1, or pipeline.schedule to interleaved");
    config = withStrategy("pipeline", 2);
    config.pipeline.split = {1, 1, 1};
    CHECK(
        firstProblem(config) ==
        "pipeline.split has 3 entries for 2 stages: set one number of layers for each stage, or leave the list empty");
    CHECK(firstProblem(withStrategy("fsdp", 1000)).empty());
}

TEST_CASE("the split of a pipeline may be auto") {
    RunConfig config;
    config.pipeline.split = {1, 2};
    CHECK(config.set("pipeline.split=auto").empty());
    CHECK(config.pipeline.split.empty());
    CHECK(RunConfig::parse(R"({"pipeline": {"split": "auto"}})", "it").ok());
    CHECK(config.set("pipeline.split=3,4").empty());
    CHECK(config.pipeline.split == std::vector<std::int64_t>{3, 4});
}

TEST_CASE("shards in host memory are refused on GPUs before the start") {
    RunConfig config = withStrategy("fsdp", 2);
    config.fsdp.cpuOffload = true;
    CHECK(firstProblem(config).empty());
    config.parallel.device = DeviceChoice::kCuda;
    CHECK(firstProblem(config) ==
          "fsdp.cpu_offload is true, which is supported only on CPUs for now, but parallel.device is cuda: set "
          "fsdp.cpu_offload to false, or parallel.device to cpu");
}
