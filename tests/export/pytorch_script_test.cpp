// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_script.h"

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

std::string scriptOf(const RunConfig& config) {
    const Result<PytorchScript> script = exportPytorch(config, {}, "train.py");
    REQUIRE(script);
    return script.value().text;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

RunConfig withTable(const TemporaryDirectory& directory, const std::string& content) {
    writeFileAtomically(directory.path() / "table.csv", content);
    RunConfig config;
    config.dataset.kind = DatasetKind::kCsv;
    config.dataset.path = (directory.path() / "table.csv").string();
    config.parallel.worldSize = 1;
    config.loader.batchSize = 1;
    return config;
}

}  // namespace

TEST_CASE("a script whose data or path cannot be written leaves no file") {
    const TemporaryDirectory directory;
    const Result<PytorchScript> script = exportPytorch(RunConfig(), {}, "train.py");
    REQUIRE(script);
    CHECK_THROWS_AS(writePytorch(script.value(), directory.path()), IoError);
    CHECK_FALSE(std::filesystem::exists(directory.path().parent_path() / script.value().dataName));
    std::filesystem::create_directory(directory.path() / script.value().dataName);
    CHECK_THROWS_AS(writePytorch(script.value(), directory.path() / "train.py"), IoError);
    CHECK_FALSE(std::filesystem::exists(directory.path() / "train.py"));
}

TEST_CASE("the script of the built-in experiment has its settings in it") {
    const Result<PytorchScript> script = exportPytorch(RunConfig(), {}, "train.py");
    REQUIRE(script);
    const std::string& text = script.value().text;
    CHECK(has(text, "WORLD_SIZE = 4\n"));
    CHECK(has(text, "BATCH_SIZE = 32  # per rank; the global batch is 4 x 32 = 128 samples\n"));
    CHECK(has(text, "DistributedSampler(training, shuffle=True, seed=0, drop_last=False)"));
    CHECK(has(text, "        sampler.set_epoch(epoch)"));
    CHECK(has(text, "torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)\n"));
    CHECK(has(text, "nn.Linear(64, 128),\n        nn.ReLU(),\n        nn.Linear(128, 10),"));
    CHECK(script.value().dataName == "train-data.csv.gz");
    CHECK(script.value().data.substr(0, 2) == "\x1f\x8b");  // gzip, RFC 1952
}

TEST_CASE("every setting of sampler, loader and optimizer reaches the script") {
    RunConfig config;
    config.sampler = {.shuffle = true, .seed = -3, .dropLast = true, .setEpoch = false};
    config.loader = {.batchSize = 16, .dropLast = true};
    config.optimizer.lr = 0.05;
    config.optimizer.momentum = 0.8;
    config.optimizer.weightDecay = 1e-4;
    config.optimizer.nesterov = true;
    config.training.epochs = 3;
    config.training.seed = 7;
    config.training.validate = ValidationMode::kPadded;
    config.training.logEvery = 5;
    config.training.checkpointEvery = 2;
    const std::string text = scriptOf(config);
    CHECK(has(text, "seed=-3, drop_last=True)"));
    CHECK(has(text, "DataLoader(training, BATCH_SIZE, sampler=sampler, drop_last=True)"));
    CHECK(has(text, "lr=0.05, momentum=0.8, weight_decay=1e-04, nesterov=True)"));
    CHECK(has(text, "# sampler.set_epoch(epoch) is left out"));
    CHECK(has(text, "torch.manual_seed(7)\n"));
    CHECK(has(text, "HEADLINE = \"padded\""));
    CHECK(has(text, "LOG_EVERY = 5 "));
    CHECK(has(text, "CHECKPOINT_EVERY = 2 "));
    CHECK(has(text, "EPOCHS = 3\n"));
}

TEST_CASE("schedules, clipping, accumulation and the scaled learning rate reach the script") {
    RunConfig config;
    config.optimizer.kind = OptimizerKind::kAdamW;
    config.optimizer.lr = 0.001;
    config.optimizer.scaleLr = RateScaling::kLinear;
    config.optimizer.scaleBaseBatch = 256;
    config.optimizer.clipGradNorm = 0.5;
    config.training.accumulateSteps = 4;
    config.schedule.kind = RateScheduleKind::kCosine;
    config.schedule.warmupEpochs = 2;
    config.schedule.warmupStart = 0.25;
    const std::string text = scriptOf(config);
    // 4 ranks x 32 samples x 4 batches = 512, twice 256.
    CHECK(
        has(text, "torch.optim.AdamW(network.parameters(), lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0)"));
    CHECK(has(text, "nn.utils.clip_grad_norm_(model.parameters(), 0.5)"));
    CHECK(has(text, "accumulate = 4 "));
    CHECK(has(text, "LinearLR(optimizer, start_factor=0.25, total_iters=2),"));
    CHECK(has(text, "CosineAnnealingLR(optimizer, T_max=10, eta_min=0),"));
    CHECK(has(text, "            schedule.step()"));
}

TEST_CASE("a name cannot break out of its string") {
    RunConfig config;
    config.name = "\"\"\"\nimport evil @model@ \\";
    const std::string text = scriptOf(config);
    CHECK(has(text, R"(NAME = "\"\"\"\nimport evil @model@ \\")"));
    CHECK(has(text, "\"\"\"    import evil @model@  , in plain PyTorch"));
    CHECK_FALSE(has(text, "\nimport evil"));
}

TEST_CASE("a table's header, separator, label column and text labels reach the script") {
    const TemporaryDirectory directory;
    RunConfig config = withTable(directory, "kind;a;b\ncat;1;2\ndog;3;4\ncat;5;7\n");
    config.dataset.labelColumn = "kind";
    const std::string text = scriptOf(config);
    CHECK(has(text, "delimiter=\";\""));
    CHECK(has(text, "del rows[0]  # the names of the columns"));
    CHECK(has(text, "row.pop(0).strip()"));
    CHECK_FALSE(has(text, "float(label)"));
    CHECK(has(text, "nn.Linear(2, 128)"));
    CHECK(has(text, "nn.Linear(128, 2)"));
    CHECK(has(text, "DATA = \"" + config.dataset.path + "\""));
    CHECK(has(text, "deviation"));
}

TEST_CASE("numbers to predict become targets") {
    const TemporaryDirectory directory;
    const std::string text = scriptOf(withTable(directory, "1,2,0.5\n2,3,1.5\n4,5,2.25\n"));
    CHECK(has(text, "torch.tensor([[float(label)] for label in labels])"));
    CHECK(has(text, "mse_loss"));
    CHECK_FALSE(has(text, "del rows[0]"));
    CHECK(has(text, "row.pop(2).strip()"));
}

TEST_CASE("models keep PyTorch's names and the order of weight initialisation") {
    RunConfig config;
    config.model.kind = ModelKind::kSimpleCnn;
    const std::string cnn = scriptOf(config);
    // 8 x 8 digits: pooled twice, 64 channels of 2 x 2 are left.
    CHECK(has(cnn,
              "        self.conv1 = nn.Conv2d(1, 32, kernel_size=3, padding=1)\n"
              "        self.conv2 = nn.Conv2d(32, 64, kernel_size=3, padding=1)\n"
              "        self.fc1 = nn.Linear(256, 512)\n"
              "        self.fc2 = nn.Linear(512, 10)\n"));
    CHECK(has(cnn, ".reshape(-1, 1, 8, 8) / 16"));
    config.model.kind = ModelKind::kLayers;
    config.model.layers = R"([{"kind": "flatten"}, {"kind": "layer_norm"}, {"kind": "linear"}])";
    CHECK(has(scriptOf(config), "        nn.Flatten(),\n        nn.LayerNorm(64),\n        nn.Linear(64, 10),\n"));
}

TEST_CASE("samplers that PyTorch does not have become a class, and the other samplers become PyTorch's") {
    RunConfig config;
    for (const std::string kind : {"sequential", "random", "batch_sharded", "contiguous", "weighted",
                                   "distributed_weighted", "class_balanced"}) {
        INFO(kind);
        choose(config.sampler.kind, kind);
        const std::string text = scriptOf(config);
        CHECK(has(text, "class AssignedSampler(Sampler):"));
        CHECK(has(text, "sampler = AssignedSampler(training)"));
        CHECK(has(text, "return sampler.positions(), sampler.length"));
    }
    config.sampler.kind = SamplerKind::kSubset;
    const std::string subset = scriptOf(config);
    CHECK(has(subset, "training = Subset(training, torch.randperm(len(training), "));
    CHECK(has(subset, "[:719].tolist())"));  // half of 1,437, rounded
    CHECK_FALSE(has(subset, "class AssignedSampler"));
}

TEST_CASE("dropout is exported with a note that losses will differ") {
    RunConfig config;
    CHECK(exportPytorch(config, {}, "train.py").value().note.empty());
    config.model.kind = ModelKind::kLayers;
    config.model.layers = R"([{"kind": "flatten"}, {"kind": "dropout", "p": 0.5}, {"kind": "linear"}])";
    const Result<PytorchScript> script = exportPytorch(config, {}, "train.py");
    REQUIRE(script);
    CHECK(has(script.value().text, "        nn.Dropout(0.5),\n"));
    CHECK(has(script.value().text, "Dropout draws other numbers in PyTorch than in Ringside"));
    CHECK(has(script.value().note, "the losses part from the first step on"));
}

TEST_CASE("a text is written next to the script, and its transformer into it") {
    RunConfig config;
    config.dataset.kind = DatasetKind::kText;
    config.dataset.contextLength = 24;
    config.model = {.kind = ModelKind::kTransformer, .width = 16, .depth = 1, .heads = 2};
    const Result<PytorchScript> script = exportPytorch(config, {}, "train.py");
    REQUIRE(script);
    const std::string& text = script.value().text;
    CHECK(script.value().dataName == "train-data.txt");
    CHECK(has(script.value().data, "Shall I compare thee to a summer"));
    CHECK(has(text, "for character in text]), 24)\n"));
    CHECK(has(text, "DROPOUT = 0\n"));
    CHECK(has(text, ", 24, width=16, depth=1, heads=2)\n"));
    CHECK(has(text, "(output.argmax(2) == y).float().mean(1)"));
    CHECK(script.value().note.empty());
}

TEST_CASE("the script contains its experiment, and stops at a non-finite loss unless set to continue") {
    RunConfig config;
    config.name = "with \"quotes\"";
    const std::string stops = scriptOf(config);
    CHECK(has(stops, "    \"name\": \"with \\\"quotes\\\"\",\n"));
    CHECK(has(stops, "\"shuffle\": True"));
    CHECK(has(stops, "stop_unless_finite(step_sums, step, optimizer)"));
    config.training.onNonFinite = OnNonFinite::kContinue;
    CHECK_FALSE(has(scriptOf(config), "stop_unless_finite"));
}

TEST_CASE("settings that cannot be exported are refused with the remedy") {
    const auto refusal = [](const RunConfig& config) {
        const Result<PytorchScript> script = exportPytorch(config, {}, "train.py");
        return script ? "exported" : script.problem().text();
    };
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kImagenet;
    CHECK(has(refusal(config), "dataset.shape is imagenet, whose images Ringside makes itself"));
    config = {};
    config.training.resume = "runs/first";
    CHECK(has(refusal(config), "start the script with --weights FILE"));
    config = {};
    config.pitfalls.doubleSharding = true;
    CHECK(has(refusal(config), "deliberate mistakes are not exported: switch them off"));
}

TEST_CASE("an experiment that cannot train is not exported") {
    RunConfig config;
    config.optimizer.lr = -1;
    Problems all;
    CHECK_FALSE(exportPytorch(config, {}, "train.py", &all));
    REQUIRE(all.size() == 1);
    CHECK(all[0].field == "optimizer.lr");
    RunConfig empty;
    empty.loader = {.batchSize = 2000, .dropLast = true};
    CHECK_FALSE(exportPytorch(empty, {}, "train.py"));
}
