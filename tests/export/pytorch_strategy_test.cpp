// SPDX-License-Identifier: Apache-2.0
// Tests of the PyTorch classes that an exported script uses. tests/pytorch/export/parity.py runs the scripts.
#include "export/pytorch/pytorch_script.h"
#include "support/catch.h"
#include "support/choices.h"

using namespace ringside;

namespace {

RunConfig spread(const std::string& strategy, std::int64_t ranks) {
    RunConfig config;
    choose(config.parallel.strategy, strategy);
    config.parallel.worldSize = ranks;
    config.loader.dropLast = true;
    return config;
}

std::string strategyScript(const RunConfig& config) {
    const Result<PytorchScript> script = exportPytorch(config, {}, "train.py");
    INFO((script ? "" : script.problem().text()));
    REQUIRE(script);
    return script.value().text;
}

std::string whyNot(const RunConfig& config) {
    const Result<PytorchScript> script = exportPytorch(config, {}, "train.py");
    return script ? "exported" : script.problem().text();
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("sharded parameters become fully_shard, with a mesh of replicas where there are some") {
    RunConfig config = spread("fsdp", 4);
    const std::string whole = strategyScript(config);
    CHECK(mentions(whole, "mesh=mesh, reshard_after_forward=True)"));
    CHECK(mentions(whole, "units = [one for one in model if list(one.parameters())]"));
    CHECK(mentions(whole, "init_device_mesh(device.type, (4,), mesh_dim_names=(\"shard\",))"));
    CHECK_FALSE(mentions(whole, "DistributedDataParallel"));
    config.fsdp.shard = ShardedState::kGradients;
    config.fsdp.unit = ShardUnit::kLayer;
    config.training.accumulateSteps = 2;
    const std::string kept = strategyScript(config);
    CHECK(mentions(kept, "reshard_after_forward=False)"));
    CHECK(mentions(kept, "if list(one.parameters(recurse=False))]"));
    CHECK(mentions(kept, "model.set_requires_gradient_sync(makes_step)"));
    config.mesh.replicate = 2;
    CHECK(mentions(strategyScript(config), "(2, 2), mesh_dim_names=(\"replicate\", \"shard\"))"));
}

TEST_CASE("a sharded optimizer becomes ZeroRedundancyOptimizer beside DDP") {
    RunConfig config = spread("fsdp", 2);
    config.fsdp.shard = ShardedState::kOptimizer;
    const std::string text = strategyScript(config);
    CHECK(mentions(text,
                   "ZeroRedundancyOptimizer(network.parameters(), optimizer_class=torch.optim.SGD, lr=0.1, momentum"));
    CHECK(mentions(text, "model = DistributedDataParallel(network, "));
    CHECK(mentions(text, "optimizer.consolidate_state_dict(to=0)"));
}

TEST_CASE("data_parallel becomes nn.DataParallel in one process") {
    const std::string text = strategyScript(spread("data_parallel", 3));
    CHECK(mentions(text, "WORLD_SIZE = 1\n"));
    CHECK(mentions(text, "DEVICES = 3\n"));
    CHECK(mentions(text, "nn.DataParallel(network, list(range(DEVICES)))"));
}

// Model 64-64-64-10: three linear layers, each of the first two followed by a ReLU.
TEST_CASE("pipelines become stages and PyTorch's schedules") {
    RunConfig config = spread("pipeline", 3);
    config.model.hidden = {64, 64};
    config.pipeline.microBatches = 8;
    const std::string text = strategyScript(config);
    CHECK(mentions(text, "CUTS = [0, 2, 4, 5] "));
    CHECK(
        mentions(text, "self.schedule = Schedule1F1B(stages[0], MICRO_BATCHES, loss_fn=self.loss, scale_grads=False)"));
    CHECK(mentions(text, "MICRO_BATCHES = 8 "));
    CHECK(mentions(text, "num_replicas=READERS, rank=dist.get_rank() % READERS)"));
    config.pipeline.schedule = PipelineScheduleKind::kGpipe;
    CHECK(mentions(strategyScript(config), "ScheduleGPipe(stages[0], "));
    config.model.hidden = {64, 64, 64, 64, 64};
    config.pipeline = {.schedule = PipelineScheduleKind::kInterleaved, .microBatches = 4, .stagesPerRank = 2};
    CHECK(mentions(strategyScript(config), "ScheduleInterleaved1F1B(stages, "));
    config.pipeline.schedule = PipelineScheduleKind::kZeroBubble;
    CHECK(mentions(strategyScript(config), "ScheduleInterleavedZeroBubble(stages, "));
    config = spread("model_parallel", 2);
    CHECK(mentions(strategyScript(config), "MICRO_BATCHES = 1 "));
}

TEST_CASE("stages are sharded, or averaged over their replicas") {
    RunConfig config = spread("pipeline", 4);
    config.optimizer.clipGradNorm = 1;
    config.mesh.shard = 2;
    const std::string sharded = strategyScript(config);
    CHECK(mentions(sharded, "shard(module, mesh[\"shard\"])"));
    CHECK_FALSE(mentions(sharded, "model.average()"));
    CHECK(mentions(sharded, "model.clip(1)"));
    config.mesh = {.replicate = 2};
    CHECK(mentions(strategyScript(config), "        model.average()\n        model.clip(1)\n"));
}

TEST_CASE("a transformer's blocks are cut between their halves") {
    RunConfig config = spread("pipeline", 2);
    config.dataset.kind = DatasetKind::kText;
    config.dataset.contextLength = 24;
    config.model = {.kind = ModelKind::kTransformer, .width = 16, .depth = 1, .heads = 2};
    config.loader.batchSize = 8;
    const std::string text = strategyScript(config);
    CHECK(mentions(text, "Beside(network.blocks[0].norm1, network.blocks[0].attention, network.dropout),\n"));
    CHECK(mentions(text, "Beside(network.blocks[0].norm2, network.blocks[0].mlp, network.dropout),\n"));
}

TEST_CASE("settings that PyTorch's strategies do not support are refused with the remedy") {
    RunConfig config = spread("pipeline", 2);
    config.loader.dropLast = false;
    // 1,437 samples in batches of 32: 29 are left.
    CHECK(mentions(whyNot(config), "loader.drop_last is false, and the last batch of an epoch has 29 of 32 samples"));
    config.loader.dropLast = true;
    config.pipeline.split = {1, 2};
    config.model.hidden = {16};
    CHECK(whyNot(config) == "exported");
    config.pipeline.scheduleFile = "own.csv";
    CHECK(mentions(whyNot(config), "pipeline.schedule_file is set, but PyTorch has no public class"));
    config = spread("pipeline", 2);
    config.model.hidden = {16, 16};
    config.mesh.pipeline = 2;
    config.pipeline.split = {4, 1};
    CHECK(whyNot(config) == "exported");
    config = spread("fsdp", 2);
    config.model.kind = ModelKind::kLayers;
    config.model.layers =
        R"([{"kind": "flatten"}, {"kind": "residual", "skip": 0.2, "layers": [{"kind": "linear", "out": 64}]},
            {"kind": "linear"}])";
    CHECK(mentions(whyNot(config), "would not gather or average it with the others and wait forever"));
    config.parallel.strategy = StrategyKind::kDdp;
    config.parallel.findUnusedParameters = true;
    CHECK(whyNot(config) == "exported");
}

TEST_CASE("a stage without parameters is refused") {
    RunConfig config = spread("pipeline", 3);
    config.pipeline.split = {1, 1, 1};
    config.model.hidden = {16};
    CHECK(mentions(whyNot(config), "pipeline.split leaves stage 1 without parameters"));
}
