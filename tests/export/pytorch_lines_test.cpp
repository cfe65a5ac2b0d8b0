// SPDX-License-Identifier: Apache-2.0
// Tests of the lines that settings add to an exported script or remove from it. tests/pytorch/export/parity.py runs the
// scripts.
#include "base/system/files.h"
#include "export/pytorch/pytorch_script.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

using Texts = std::vector<std::string>;

RunConfig configOf(const Texts& assignments) {
    RunConfig config;
    for (const std::string& one : assignments) {
        INFO(one);
        REQUIRE(config.set(one).empty());
    }
    return config;
}

std::string scriptWith(const Texts& assignments) {
    const Result<PytorchScript> script = exportPytorch(configOf(assignments), {}, "train.py");
    INFO((script ? "" : script.problem().text()));
    REQUIRE(script);
    const std::string& text = script.value().text;
    const std::size_t config = text.find("\nCONFIG = {");  // start of the copy of the experiment in the script
    return text.substr(0, config) + text.substr(text.find("\n}\n", config));
}

std::string refusalWith(const Texts& assignments) {
    const Result<PytorchScript> script = exportPytorch(configOf(assignments), {}, "train.py");
    return script ? "exported" : script.problem().text();
}

// Checks that the script of an experiment contains the texts `present` and none of the texts `absent`.
void check(const Texts& assignments, const Texts& present, const Texts& absent = {}) {
    const std::string text = scriptWith(assignments);
    CAPTURE(assignments);
    for (const std::string& one : present) {
        CAPTURE(one);
        CHECK(text.find(one) != std::string::npos);
    }
    for (const std::string& one : absent) {
        CAPTURE(one);
        CHECK(text.find(one) == std::string::npos);
    }
}

Texts operator+(Texts some, const Texts& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

const Texts kSharded = {"parallel.strategy=fsdp", "loader.drop_last=true"};
// 64 inputs, three hidden layers and an output layer; four batches of one size.
const Texts kStages = {"parallel.strategy=pipeline", "model.hidden=[64,64,64]", "loader.drop_last=true"};
const Texts kDrawn = {"dataset.kind=synthetic", "dataset.size=100", "dataset.features=7", "dataset.seed=5",
                      "loader.batch_size=4"};
const Texts kCharacters = {"dataset.kind=text", "model.kind=transformer", "model.width=16", "loader.batch_size=8"};

}  // namespace

TEST_CASE("a script imports the modules that it uses") {
    const std::string first = "import argparse\nimport atexit\n";
    const std::string later =
        "import csv\nimport datetime\nimport gzip\nimport hashlib\nimport json\nimport math\nimport os\nimport "
        "pathlib\nimport sys\nimport tempfile\n";
    check({}, {first + later, "import DataLoader, Dataset\n"}, {"import numpy", "import Image", "contextlib"});
    check({"training.accumulate_steps=2"}, {first + "import contextlib\n" + later});
    check(kSharded + Texts{"training.accumulate_steps=2"}, {"import contextlib\n"});
    check({"parallel.strategy=data_parallel", "training.accumulate_steps=2", "loader.batch_size=16"}, {first + later});
    check({"sampler.kind=weighted"}, {"import DataLoader, Dataset, Sampler, WeightedRandomSampler\n"});
    check({"sampler.kind=distributed_weighted"}, {"import DataLoader, Dataset, Sampler, WeightedRandomSampler\n"});
    check({"sampler.kind=contiguous"}, {"import DataLoader, Dataset, Sampler\n"});
    check({"sampler.kind=subset"}, {"import DataLoader, Dataset, Subset\n"});
}

TEST_CASE("only options that differ from PyTorch's defaults are written") {
    check({"optimizer.momentum=0"}, {"torch.optim.SGD(network.parameters(), lr=0.1)\n"}, {"clip_grad_norm_"});
    check({"optimizer.momentum=0.5", "optimizer.dampening=0.25"}, {"lr=0.1, momentum=0.5, dampening=0.25)\n"});
    check({"optimizer.weight_decay=0.5"}, {"lr=0.1, momentum=0.9, weight_decay=0.5)\n"});
    check({"optimizer.kind=adam", "optimizer.beta1=0.5", "optimizer.beta2=0.75", "optimizer.eps=0.125"},
          {"torch.optim.Adam(network.parameters(), lr=0.1, betas=(0.5, 0.75), eps=0.125, weight_decay=0)\n"});
    check({"optimizer.clip_grad_norm=2"}, {"        nn.utils.clip_grad_norm_(model.parameters(), 2)\n"});
    check({}, {", sampler=sampler, drop_last=False)"}, {"num_workers", "pin_memory", "find_unused_parameters"});
    check({"loader.num_workers=1", "loader.prefetch_factor=3"}, {", num_workers=1, prefetch_factor=3)"});
    check({"loader.num_workers=2", "loader.persistent_workers=true", "loader.pin_memory=true"},
          {", num_workers=2, prefetch_factor=2, persistent_workers=True, pin_memory=True)"});
    check({"loader.pin_memory=true"}, {", drop_last=False, pin_memory=True)"}, {"num_workers"});
    check({"parallel.find_unused_parameters=true", "parallel.bucket_cap_mb=3"},
          {"DistributedDataParallel(network, bucket_cap_mb=3, find_unused_parameters=True)"});
}

TEST_CASE("a schedule of the learning rate becomes a list of PyTorch's schedulers") {
    check({}, {}, {"schedules = [", "schedule.step()"});
    check({"schedule.kind=step", "schedule.step_size=4", "schedule.gamma=0.5"},
          {"    schedules = [\n        torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5),\n    ]\n",
           "        for schedule in schedules:\n            schedule.step()\n"},
          {"LinearLR", "Cosine"});
    check({"schedule.warmup_epochs=1", "schedule.warmup_start=0.5"},
          {"    schedules = [\n        torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, "
           "total_iters=1),\n    ]\n"},
          {"StepLR", "Cosine"});
    check({"schedule.kind=cosine", "schedule.t_max=1", "schedule.eta_min=0.01"},
          {"CosineAnnealingLR(optimizer, T_max=1, eta_min=0.01),\n"}, {"StepLR", "LinearLR"});
    check({"schedule.kind=cosine", "training.epochs=6"}, {"CosineAnnealingLR(optimizer, T_max=6, eta_min=0),\n"});
}

TEST_CASE("the end of training and accumulation are written where they are set") {
    check({}, {"is 4 x 32 = 128 samples\n"}, {"MAX_STEPS", "accumulate = ", "epochs_done, steps_of_epoch"});
    check({"training.accumulate_steps=2", "training.max_steps=5"},
          {"is 4 x 32 x 2 = 256 samples\n", "    accumulate = 2  #", "MAX_STEPS = 5  #",
           "    epochs_done, steps_of_epoch = 0, math.ceil(len(loader) / 2)\n",
           "        if step < (epoch + 1) * steps_of_epoch:", "        epochs_done = epoch + 1\n"});
    check({"training.max_steps=1"}, {"MAX_STEPS = 1  #", "math.ceil(len(loader) / 1)\n"});
    check({"training.tf32=true"}, {"True"});
    check({"parallel.strategy=data_parallel", "loader.batch_size=16"}, {}, {"gradients of all ranks are averaged"});
    check({}, {"  # the gradients of all ranks are averaged on the way"});
}

TEST_CASE("the losses are those of the data's targets") {
    check(kDrawn + Texts{"dataset.targets=3"}, {"functional.mse_loss(output, y, reduction=\"none\").mean(1)"},
          {"argmax"});
    check({}, {"    return losses, (output.argmax(1) == y).float()\n"}, {"mse_loss", "argmax(2)"});
    check(kCharacters, {"losses.reshape(y.shape).mean(1), (output.argmax(2) == y).float().mean(1)"}, {"argmax(1)"});
}

TEST_CASE("synthetic data is drawn as in the experiment") {
    check(kDrawn + Texts{"dataset.targets=3"},
          {"    torch.manual_seed(5)\n    x = torch.randn(100, 7)\n    return Samples(x, torch.randn(100, 3))\n"});
    check(kDrawn + Texts{"dataset.shape=blobs", "dataset.classes=3"},
          {"    labels = torch.arange(100) % 3\n    torch.manual_seed(5)\n    centres = torch.randn(3, 7)\n    return "
           "Samples(torch.randn(len(labels), 7) + 3 * centres[labels], labels)\n"},
          {"repeat_interleave"});
    check(kDrawn + Texts{"dataset.shape=imbalanced", "dataset.classes=3"},
          {"  # of the classes\n    labels = torch.arange(len(sizes)).repeat_interleave(sizes)\n"}, {"arange(100)"});
    check(kDrawn + Texts{"dataset.shape=spirals", "dataset.classes=3"},
          {"    labels = torch.arange(100) % 3\n    torch.manual_seed(5)\n",
           "        radius = (i // 3 + 1) / 34\n",  // ceil(100 / 3) points an arm
           "        angle = 2 * math.pi * (i % 3 / 3 + 1.5 * radius)\n"});
    check(kDrawn + Texts{"dataset.shape=spirals", "dataset.classes=2"}, {"(i // 2 + 1) / 50\n"});
}

TEST_CASE("each sampler that PyTorch lacks has its order and its positions") {
    const std::string seeded = "torch.Generator().manual_seed(0 + self.epoch)";
    check({"sampler.kind=sequential"},
          {"        return list(range(len(self.data)))\n",
           "        return range(self.rank * self.length, (self.rank + 1) * self.length)"},
          {"randperm(len(self.data)"});
    check({"sampler.kind=random"}, {"        generator = " + seeded, "random_(generator=generator).item()",
                                    "        return range(self.rank * self.length, (self.rank + 1) * self.length)"});
    check({"sampler.kind=contiguous"},
          {"        return torch.randperm(len(self.data), generator=" + seeded + ").tolist()\n",
           "        each = -(-self.length // self.world)\n        return range(self.rank * each, (self.rank + 1) * "
           "each)"});
    check({"sampler.kind=contiguous", "sampler.drop_last=true", "sampler.shuffle=false"},
          {"        return list(range(len(self.data)))\n", "        each = self.length // self.world\n"},
          {"torch.randperm(len(self.data)"});
    check({"sampler.kind=batch_sharded"},
          {"        batches = -(-self.length // (BATCH_SIZE * self.world))\n",
           "        firsts = [(batch * self.world + self.rank) * BATCH_SIZE for batch in range(batches)]\n"});
    check({"sampler.kind=weighted", "sampler.num_samples=700"},
          {"        weights = 1 / torch.bincount(self.data.targets).double()  # of the classes\n", "700",
           "WeightedRandomSampler(weights[self.data.targets], self.length, generator=generator))\n"},
          {"len(data)\n"});
    check({"sampler.kind=distributed_weighted", "sampler.class_weights=[1,2,3,4,5,6,7,8,9,10]"},
          {"        weights = torch.tensor([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], dtype=torch.float64)",
           "        each = -(-self.length // self.world)\n        return range(self.rank, each * self.world, "
           "self.world)"});
    check({"sampler.kind=class_balanced"}, {"some[torch.randperm(len(some), generator=generator)].tolist()"});
    check({"sampler.kind=class_balanced", "sampler.shuffle=false"}, {"[some.tolist() for some in classes]\n"},
          {"torch.randperm(len(some)"});
    const std::string leftOut = "# sampler.set_epoch(epoch) is left out";
    check({"sampler.kind=contiguous"}, {"        sampler.set_epoch(epoch)"}, {leftOut});
    check({"sampler.kind=contiguous", "sampler.set_epoch=false"}, {leftOut});
    check({"sampler.kind=random", "sampler.set_epoch=false"}, {"        sampler.set_epoch(epoch)"}, {leftOut});
    check({"sampler.shuffle=false"}, {"        # Nothing is shuffled, so there is no sampler.set_epoch(epoch)."});
    check(
        {"sampler.kind=subset", "sampler.subset_fraction=0.25", "sampler.subset_seed=3"},
        {"Subset(training, torch.randperm(len(training), generator=torch.Generator().manual_seed(3))[:359].tolist())"});
    check({"sampler.kind=subset", "sampler.subset_indices=[3,1,2,9]", "loader.batch_size=1"},
          {"Subset(training, [3, 1, 2, 9])\n"});
}

TEST_CASE("models are written with their own sizes and the classes that PyTorch lacks") {
    const auto layers = [](const std::string& list) { return Texts{"model.kind=layers", "model.layers=" + list}; };
    const std::string linear = R"({"kind": "linear", "out": 64})";
    check({}, {}, {"class Residual", "class GlobalAveragePool", "class CausalSelfAttention"});
    check(layers(R"([{"kind": "flatten"}, {"kind": "residual", "layers": [)" + linear + ", {\"kind\": \"relu\"}, " +
                 linear + R"(]}, {"kind": "linear"}])"),
          {"        Residual(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))),\n", "class Residual"},
          {"skip", "class GlobalAveragePool"});
    check(layers(R"([{"kind": "flatten"}, {"kind": "residual", "skip": 0.25, "layers": [)" + linear +
                 R"(], "shortcut": [)" + linear + R"(]}, {"kind": "linear"}])"),
          {"        Residual(nn.Sequential(nn.Linear(64, 64)), nn.Sequential(nn.Linear(64, 64)), skip=0.25),\n"});
    check(layers(R"([{"kind": "conv2d", "out": 5, "kernel": 3}, {"kind": "global_average_pool"}, {"kind": "linear"}])"),
          {"        nn.Conv2d(1, 5, kernel_size=3),\n        GlobalAveragePool(),\n        nn.Linear(5, 10),\n",
           "class GlobalAveragePool"});
    check({"model.kind=residual_cnn", "model.width=8", "model.depth=3"}, {"(1, 10, width=8, depth=3)"});
    check({"model.kind=toy_linear"},
          {"\nclass ToyModel(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.linear = "
           "nn.Linear(64, 10)\n",
           "\ndef build_model():\n    return ToyModel()\n"});
    check({"model.kind=mlp", "model.hidden=[]"}, {"    return nn.Sequential(\n        nn.Linear(64, 10),\n    )\n"},
          {"nn.Flatten()"});
    check(kCharacters + Texts{"model.dropout=0.25", "model.depth=3", "model.heads=4"},
          {"\nDROPOUT = 0.25\n", ", width=16, depth=3, heads=4)"});
}

TEST_CASE("fully_shard gets the units, the policy and the order of gathering") {
    const std::string import = "    from torch.distributed.fsdp import ";
    check(kSharded, {import + "fully_shard\n", "        fully_shard(unit, mesh=mesh, reshard_after_forward=True)\n"},
          {"CPUOffloadPolicy", "FSDPModule", "reshard(model)", "(HSDP)"});
    check(kSharded + Texts{"fsdp.shard=gradients"},
          {import + "FSDPModule, fully_shard\n", "    reshard(model)\n", "reshard_after_forward=False"});
    check(kSharded + Texts{"fsdp.cpu_offload=true"},
          {import + "CPUOffloadPolicy, fully_shard\n",
           "    offload = {\"offload_policy\": CPUOffloadPolicy()} if mesh.device_type == \"cuda\" else {}\n",
           "reshard_after_forward=True, **offload)"});
    check(kSharded + Texts{"fsdp.unit=whole"},
          {"    return fully_shard(model, mesh=mesh, reshard_after_forward=True)\n"}, {"    units = "});
    check(kSharded + Texts{"fsdp.prefetch=next"}, {"        unit.set_modules_to_forward_prefetch([behind])\n"});
    check(kSharded + Texts{"fsdp.prefetch=none"}, {}, {"prefetch([behind])"});
    check(kSharded + Texts{"mesh.replicate=2"},
          {"Its mesh has 2 replicas of 2 ranks (HSDP).",
           "init_device_mesh(device.type, (2, 2), mesh_dim_names=(\"replicate\", \"shard\"))"});
    check(kSharded + Texts{"training.accumulate_steps=2"}, {"model.set_requires_gradient_sync(makes_step)"});
    check({"training.accumulate_steps=2"}, {"no_sync()"}, {"set_requires_gradient_sync"});
    check(kSharded + Texts{"mesh.replicate=4"}, {"DistributedDataParallel(network"}, {"fully_shard"});
}

TEST_CASE("a pipeline has its mesh, cuts and micro-batches, and accumulates where it is set") {
    const std::string plainLoop = "    for x, y, index in loader:\n";
    const Texts four = kStages + Texts{"pipeline.micro_batches=8"};
    check(four,
          {"PIPELINE = 4  #", "REPLICATE = 1  #", "SHARD = 1  #", "STAGES = 4  #", "MICRO_BATCHES = 8  #",
           "CUTS = [0, 2, 4, 6, 7]  #", plainLoop,
           "    from torch.distributed.pipelining import PipelineStage, Schedule1F1B\n",
           "        if outcome:\n            stop_unless_finite(step_sums, step, optimizer)\n"},
          {"accumulate = ", "model.clip(", "def clip", "model.average()", "fully_shard"});
    check(four + Texts{"training.accumulate_steps=3"},
          {"    accumulate = 3  #", "    for number, (x, y, index) in enumerate(loader, start=1):\n",
           "        if number % accumulate != 0 and number != len(loader):\n            continue\n",
           "        step_sums, sums = sums, torch.zeros_like(sums)\n", "(MICRO_BATCHES * 3)"},
          {plainLoop, "step_sums = metrics.add(*outcome)"});
    check(four + Texts{"training.on_non_finite=continue"}, {}, {"stop_unless_finite"});
    check(four + Texts{"optimizer.clip_grad_norm=0.5"}, {"        model.clip(0.5)\n", "def clip"});
    check(four + Texts{"mesh.shard=2"},
          {"PIPELINE = 2  #", "SHARD = 2  #", "    from torch.distributed.fsdp import FSDPModule, fully_shard\n",
           "shard(module, mesh[\"shard\"])"},
          {"def average"});
    check(four + Texts{"mesh.shard=2", "fsdp.cpu_offload=true"},
          {"    from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, fully_shard\n"});
    check(four + Texts{"mesh.replicate=2"}, {"REPLICATE = 2  #", "        model.average()\n", "def average"},
          {"fully_shard"});
    check(four + Texts{"parallel.world_size=8", "mesh.replicate=2", "mesh.shard=2"},
          {"shard(module, mesh[\"replicate\", \"shard\"])"}, {"model.average()"});
    check(kStages + Texts{"pipeline.schedule=interleaved", "pipeline.stages_per_rank=2", "pipeline.micro_batches=4",
                          "parallel.world_size=2"},
          {"STAGES = 4  #", "ScheduleInterleaved1F1B(stages, "});
    check(kCharacters + Texts{"parallel.strategy=pipeline", "parallel.world_size=2", "loader.drop_last=true"},
          {"Positions(network.position_embedding),\n", "network.token_embedding,\n", "network.norm,\n"});
    check({"parallel.strategy=pipeline", "parallel.world_size=2", "loader.drop_last=true", "model.kind=residual_cnn",
           "model.width=4", "model.depth=1"},
          {"        network.conv1,\n        network.bn1,\n        nn.ReLU(),\n        network.layer1[0],\n        "
           "network.layer2[0],\n        network.layer3[0],\n        GlobalAveragePool(),\n        network.fc,\n"});
}

TEST_CASE("batches of different sizes are refused in a pipeline, with the size that fits") {
    const Texts two = {"parallel.strategy=pipeline", "parallel.world_size=2", "model.hidden=[16]",
                       "pipeline.micro_batches=4"};
    CHECK(refusalWith(two + Texts{"loader.batch_size=30", "loader.drop_last=true"}).find("30") != std::string::npos);
    // 1,437 samples: one batch of them all, or 479 of 3.
    CHECK(refusalWith(two + Texts{"loader.batch_size=3", "pipeline.micro_batches=3"}) == "exported");
    CHECK(refusalWith(two + Texts{"loader.batch_size=4"}) ==
          "loader.drop_last is false, and the last batch of an epoch has 1 of 4 samples, but PyTorch's stages take "
          "batches of one size only: set it to true");
    CHECK(refusalWith(two + Texts{"loader.batch_size=1440"}) ==
          "loader.batch_size is 1440, and a rank's shard has 1437 samples, but PyTorch's stages take batches of one "
          "size only: set it to 1437");
    CHECK(refusalWith(two + Texts{"loader.batch_size=1437", "pipeline.micro_batches=3"}) == "exported");
}

TEST_CASE("a residual that is skipped is exported where each rank decides alone") {
    const std::string layers =
        R"(model.layers=[{"kind": "flatten"}, {"kind": "residual", "skip": 0.2, "layers": [{"kind": "linear", "out": 64}]},
                         {"kind": "linear"}])";
    const Texts skipping = {"model.kind=layers", layers, "loader.drop_last=true", "parallel.world_size=4"};
    const std::string refused = "model.layers has a residual with a skip";
    CHECK(refusalWith(skipping + Texts{"parallel.strategy=fsdp"}).find(refused) == 0);
    CHECK(refusalWith(skipping + Texts{"parallel.strategy=fsdp", "fsdp.shard=gradients"}).find(refused) == 0);
    const Texts pipeline = skipping + Texts{"parallel.strategy=pipeline"};
    CHECK(refusalWith(pipeline + Texts{"parallel.world_size=2"}) == "exported");
    CHECK(refusalWith(pipeline + Texts{"mesh.replicate=2"}).find(refused) == 0);
    CHECK(refusalWith(pipeline + Texts{"mesh.shard=2"}).find(refused) == 0);
}

TEST_CASE("random changes of images are written with their sizes") {
    const Texts images = {"model.kind=simple_cnn"};
    check(images, {}, {"IMAGE = (", "RandomCrop", "class Transformed"});
    check(
        images + Texts{"loader.random_crop_padding=2"},
        {"IMAGE = (1, 8, 8)  # channels, height, width\n", "key = mix(mix(mix(0) + int(self.epoch)) + int(number))\n",
         "(key >> 32) * 5 >> 32, (key & 0xFFFFFFFF) * 5 >> 32\n",
         "functional.pad(image, (2, 2, 2, 2))[:, top : top + IMAGE[1], left : left + IMAGE[2]]", "    scale = None\n"},
        {"RandomHorizontalFlip", "def channel_scale"});
    check(images + Texts{"loader.horizontal_flip=true"},
          {"            if mix(key) >> 63:\n                image = image.flip(2)"}, {"RandomCrop"});
    check(images + Texts{"loader.normalize=true"}, {"    scale = channel_scale(training)\n", "def channel_scale"},
          {"def mix", "RandomCrop", "RandomHorizontalFlip"});
}

TEST_CASE("settings of a run that a script lacks are refused") {
    CHECK(refusalWith({"training.precision=bf16"}) ==
          "training.precision is bf16, and scripts compute in fp32: set it to fp32");
    CHECK(refusalWith({"dataset.kind=external"}) != "exported");
}

TEST_CASE("a table is read with its separator, its missing cells and its label") {
    const TemporaryDirectory directory;
    const std::string file = (directory.path() / "table.csv").string();
    const Texts table = {"dataset.kind=csv", "dataset.path=" + file, "parallel.world_size=1", "loader.batch_size=1"};
    writeFileAtomically(file, "a\tb\tc\n1\t2\t0\n2\t3\t1\n4\t5\t0\n6\t1\t1\n");
    check(
        table,
        {"delimiter=\"\\t\"", "    del rows[0]", "column 2, counted from 0", "    labels = [row.pop(2).strip() for row",
         "[[float(cell) for cell in row] for row in rows]", "    labels = [float(label) for label in labels]\n"},
        {"is_missing", "fill_missing"});
    check(table + Texts{"dataset.label_column=b"}, {"row.pop(1).strip()"});
    check(table + Texts{"dataset.label_column=0"}, {"row.pop(0).strip()"});
    check(table + Texts{"dataset.missing=drop"}, {"if not any(map(is_missing, row))]\n", "def is_missing"},
          {"math.nan if is_missing"});
    check(table + Texts{"dataset.missing=mean"}, {"[[math.nan if is_missing(cell) else float(cell) for cell in row]"},
          {"any(map(is_missing, row))"});
    writeFileAtomically(file, "1,2,0\n2,3,1\n4,5,0\n6,1,1\n");
    check(table, {"delimiter=\",\""}, {"del rows[0]"});
    check(table + Texts{"dataset.header=yes"}, {"    del rows[0]"});
}

TEST_CASE("arrays are read with their type, shape and test set") {
    const TemporaryDirectory directory;
    const auto path = [&directory](const std::string& name) { return (directory.path() / name).string(); };
    const std::string images = std::string("\0\0\x08\x03\0\0\0\x04\0\0\0\x01\0\0\0\x02", 16) + "abcdefgh";
    const std::string labels = std::string("\0\0\x08\x01\0\0\0\x04\0\1\0\1", 12);
    writeFileAtomically(path("train-images-idx3-ubyte"), images);
    writeFileAtomically(path("train-labels-idx1-ubyte"), labels);
    const Texts flat = {"dataset.kind=idx", "dataset.path=" + path("train-images-idx3-ubyte"), "parallel.world_size=1",
                        "loader.batch_size=1"};
    const std::string part =
        "read_part(*(path / name for name in [\"train-images-idx3-ubyte\", \"train-labels-idx1-ubyte\"]))\n";
    check(flat,
          {"    x = read_array(samples).astype(\"uint8\")\n", "astype(\"int64\").reshape(-1)\n", ".float() / 255",
           "reshape(-1, *(2,))", "    return " + part, "\nimport numpy\n"},
          {"transpose", "import Image"});
    const std::string layers = R"(model.layers=[{"kind": "flatten"}, {"kind": "linear"}])";
    check(flat + Texts{"model.kind=layers", layers}, {"reshape(-1, *(1, 1, 2))"});
    writeFileAtomically(path("t10k-images-idx3-ubyte"), images);
    writeFileAtomically(path("t10k-labels-idx1-ubyte"), labels);
    check(flat, {"    training = " + part,
                 "    return training, read_part(*(path / name for name in "
                 "[\"t10k-images-idx3-ubyte\", \"t10k-labels-idx1-ubyte\"]))\n"});
}

TEST_CASE("a pipeline accumulates from two batches on, and a skip is found within residuals") {
    check(kStages + Texts{"training.accumulate_steps=2"}, {"    accumulate = 2  #", "(MICRO_BATCHES * 2)"});
    check(kStages + Texts{"training.accumulate_steps=1"}, {}, {"    accumulate = ", "(MICRO_BATCHES * "});
    const std::string linear = R"({"kind": "linear", "out": 64})";
    const std::string inner = R"({"kind": "residual", "skip": 0.5, "layers": [)" + linear + "]}";
    for (const std::string& parts :
         {R"("layers": [)" + inner + "]", R"("layers": [)" + linear + R"(], "shortcut": [)" + inner + "]"}) {
        const Texts skipping = {
            "model.kind=layers", "loader.drop_last=true",
            R"(model.layers=[{"kind": "flatten"}, {"kind": "residual", )" + parts + R"(}, {"kind": "linear"}])"};
        check(skipping, {"skip=0.5)", "class Residual"});
        CHECK(refusalWith(skipping + Texts{"parallel.strategy=fsdp"}).find("model.layers has a residual with a skip") ==
              0);
    }
}

TEST_CASE("draws of a weighted sampler are as many as samples unless their number is set") {
    check({"sampler.kind=weighted"}, {"len(data)"});
    check({"sampler.kind=contiguous", "sampler.num_samples=700"}, {"len(data)"}, {"700"});
}

TEST_CASE("batches of CIFAR are read in the order of their names, with their test batch") {
    const TemporaryDirectory directory;
    const std::string record = std::string(1, '\1') + std::string(3072, 'a');
    const auto write = [&directory](const std::string& name, const std::string& content) {
        writeFileAtomically(directory.path() / name, content);
    };
    write("data_batch_2.bin", record + record);
    write("data_batch_1.bin", record + record);
    write("batches.meta.txt", "x");
    write("data_batch_3.txt", "x");
    const Texts cifar = {"dataset.kind=cifar10", "dataset.path=" + directory.path().string(), "parallel.world_size=1",
                         "loader.batch_size=1"};
    const std::string part = "read_part([path / name for name in [\"data_batch_1.bin\", \"data_batch_2.bin\"]])\n";
    check(cifar, {"    return " + part, "reshape(-1, 1 + 3072)", "rows[:, 1:]", "rows[:, 0].long()"}, {"test_batch"});
    write("test_batch.bin", record);
    check(cifar, {"    training = " + part,
                  "    return training, read_part([path / name for name in [\"test_batch.bin\"]])\n"});
    const std::string fine = std::string(2, '\1') + std::string(3072, 'a');
    write("train.bin", fine + fine);
    check({"dataset.kind=cifar100", "dataset.path=" + directory.path().string(), "parallel.world_size=1",
           "loader.batch_size=1"},
          {"for name in [\"train.bin\"]", "reshape(-1, 2 + 3072)", "rows[:, 2:]", "rows[:, 1].long()"}, {"data_batch"});
}

TEST_CASE("the folder in which CIFAR's archive is unpacked is found") {
    const TemporaryDirectory directory;
    const auto folder = directory.path() / "cifar-10-batches-bin";
    std::filesystem::create_directory(folder);
    const std::string record = std::string(1, '\1') + std::string(3072, 'a');
    writeFileAtomically(folder / "data_batch_1.bin", record + record);
    check({"dataset.kind=cifar10", "dataset.path=" + directory.path().string(), "parallel.world_size=1",
           "loader.batch_size=1"},
          {"pathlib.Path(\"" + folder.string() + "\")", "for name in [\"data_batch_1.bin\"]"});
}
