// SPDX-License-Identifier: Apache-2.0
// Tests that every setting of an experiment is exported, refused, or named in the script as not carried over.
#include <algorithm>
#include <map>
#include <optional>

#include "base/json/json.h"
#include "base/system/files.h"
#include "config/config_fields.h"
#include "data/png_file.h"
#include "export/pytorch/pytorch_carried.h"
#include "export/pytorch/pytorch_script.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

using Assignments = std::vector<std::string>;

// Values that do not change a script, because they do not change what is trained; with the reason. "STRATEGY VALUE"
// applies to this strategy only.
const std::map<std::string, std::string> kWithoutEffect = {
    {"parallel.device=cpu", "a script computes on the CPU unless --device is cuda"},
    {"training.loss=cross_entropy", "the loss that auto chooses for classes"},
    {"dataset.header=no", "what auto finds in the table of this test"},
    {"pitfalls.slow_phase=data", "no rank is slow while pitfalls.slow_rank is -1"},
    {"pitfalls.slow_phase=forward", "no rank is slow while pitfalls.slow_rank is -1"},
    {"pitfalls.slow_phase=optimizer", "no rank is slow while pitfalls.slow_rank is -1"},
    {"pitfalls.slow_ms=25.25", "no rank is slow while pitfalls.slow_rank is -1"},
    {"parallel.strategy=data_parallel sampler.kind=unpadded", "a single reader has no padding"},
    {"parallel.strategy=pipeline sampler.kind=unpadded", "a single reader has no padding"},
};

bool isWithoutEffect(const std::vector<std::string>& context, const std::string& assignment) {
    return kWithoutEffect.contains(assignment) ||
           (!context.empty() && kWithoutEffect.contains(context.front() + " " + assignment));
}

// A setting that has an effect only with other settings (`context`), and the values to test. Empty values: derived from
// the type of the setting.
struct Trial {
    std::string path;
    Assignments context;
    Assignments values = {};
};

const Assignments kSynthetic = {"dataset.kind=synthetic"};
const Assignments kBlobs = {"dataset.kind=synthetic", "dataset.shape=blobs"};
const Assignments kText = {"dataset.kind=text", "model.kind=transformer", "model.width=16", "loader.batch_size=8"};
const Assignments kFsdp = {"parallel.strategy=fsdp"};
const Assignments kPipeline = {"parallel.strategy=pipeline", "model.hidden=[64,64,64,64,64,64,64]",
                               "loader.drop_last=true", "loader.batch_size=48"};

Assignments with(Assignments some, const Assignments& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

// Files with tables, arrays and images of a few samples.
struct Files {
    TemporaryDirectory directory;

    Files() {
        writeFileAtomically(path("table.csv"), "1,2,0\n2,3,1\n4,5,0\n6,1,1\n");
        writeFileAtomically(path("other.csv"), "1,2,0\n2,3,1\n4,5,0\n6,2,1\n");
        const std::string images = std::string("\0\0\x08\x03\0\0\0\x04\0\0\0\x01\0\0\0\x02", 16) + "abcdefgh";
        const std::string labels = std::string("\0\0\x08\x01\0\0\0\x04\0\1\0\1", 12);
        writeFileAtomically(path("train-images-idx3-ubyte"), images);
        writeFileAtomically(path("train-labels-idx1-ubyte"), labels);
        writeFileAtomically(path("other-labels"), labels);
        for (const char* name : {"cat", "dog"}) {
            std::filesystem::create_directories(directory.path() / "images" / name);
            for (const char* file : {"a.png", "b.png", "c.png"})
                writeFileAtomically(directory.path() / "images" / name / file,
                                    testing::pngFile(2, 2, std::string(12, 'a')));
        }
    }
    std::string path(const std::string& name) const { return (directory.path() / name).string(); }
    Assignments table() const {
        return {"dataset.kind=csv", "dataset.path=" + path("table.csv"), "parallel.world_size=1",
                "loader.batch_size=1"};
    }
    Assignments arrays() const {
        return {"dataset.kind=idx", "dataset.path=" + path("train-images-idx3-ubyte"), "parallel.world_size=1",
                "loader.batch_size=1"};
    }
    Assignments images() const {
        return {"dataset.kind=image_folder", "dataset.path=" + path("images"), "parallel.world_size=1",
                "loader.batch_size=1"};
    }
};

std::vector<Trial> trials(const Files& files) {
    const std::string layers = R"(model.layers=[{"kind": "flatten"}, {"kind": "linear"}])";
    const Assignments classes = with(kSynthetic, {"dataset.shape=imbalanced", "dataset.size=300"});
    return {
        {"dataset.path", files.table(), {files.path("other.csv")}},
        {"dataset.labels_path", files.arrays(), {files.path("other-labels")}},
        {"dataset.label_column", files.table(), {"0"}},
        {"dataset.header", files.table()},
        {"dataset.missing", files.table()},
        {"dataset.image_size", files.images(), {"3"}},
        {"dataset.shape", kSynthetic},
        {"dataset.classes", kBlobs},
        {"dataset.size", kSynthetic},
        {"dataset.features", kSynthetic},
        {"dataset.targets", kSynthetic},
        {"dataset.seed", kSynthetic},
        {"dataset.context_length", kText},
        {"model.width", with(kText, {"model.heads=1"})},
        {"model.depth", kText},
        {"model.heads", kText, {"2"}},
        {"model.dropout", kText},
        {"model.layers",
         {"model.kind=layers", layers},
         {R"([{"kind": "flatten"}, {"kind": "relu"}, {"kind": "linear"}])"}},
        {"parallel.device", {}},
        {"parallel.interface", {}, {"eth0"}},
        {"parallel.devices", {"parallel.strategy=data_parallel"}, {"3"}},
        {"mesh.replicate", kPipeline, {"2"}},
        {"mesh.shard", kPipeline, {"2"}},
        {"mesh.pipeline", with(kPipeline, {"mesh.replicate=2", "mesh.pipeline=2"}), {"4"}},
        {"pipeline.schedule", kPipeline},
        {"pipeline.micro_batches", kPipeline, {"8"}},
        {"pipeline.stages_per_rank", with(kPipeline, {"pipeline.schedule=interleaved"}), {"2"}},
        {"pipeline.split", kPipeline, {"[5,4,4,2]"}},
        {"pipeline.schedule_file", kPipeline, {"own.csv"}},
        {"fsdp.shard", kFsdp},
        {"fsdp.unit", kFsdp},
        {"fsdp.unit", with(kFsdp, {"fsdp.shard=optimizer"})},
        {"fsdp.prefetch", kFsdp},
        {"fsdp.prefetch", with(kPipeline, {"mesh.shard=2"})},
        {"fsdp.cpu_offload", kFsdp},
        {"fsdp.cpu_offload", with(kFsdp, {"fsdp.shard=optimizer"})},
        {"sampler.num_samples", {"sampler.kind=weighted"}, {"700"}},
        {"sampler.class_weights", with(classes, {"sampler.kind=weighted"}), {"[1,5,20]"}},
        {"sampler.subset_fraction", {"sampler.kind=subset"}, {"0.25"}},
        {"sampler.subset_seed", {"sampler.kind=subset"}},
        {"sampler.subset_indices",
         {"sampler.kind=subset", "loader.batch_size=4"},
         {"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17]"}},
        {"loader.prefetch_factor", {"loader.num_workers=2"}},
        {"loader.persistent_workers", {"loader.num_workers=2"}},
        {"optimizer.dampening", {}, {"0.5"}},
        {"optimizer.beta1", {"optimizer.kind=adam"}, {"0.8"}},
        {"optimizer.beta2", {"optimizer.kind=adam"}, {"0.8"}},
        {"optimizer.eps", {"optimizer.kind=adam"}, {"1e-6"}},
        {"optimizer.scale_base_batch", {"optimizer.scale_lr=linear"}},
        {"schedule.step_size", {"schedule.kind=step"}},
        {"schedule.gamma", {"schedule.kind=step"}, {"0.5"}},
        {"schedule.t_max", {"schedule.kind=cosine"}},
        {"schedule.eta_min", {"schedule.kind=cosine"}, {"0.01"}},
        {"schedule.warmup_start", {"schedule.warmup_epochs=2"}, {"0.5"}},
        {"training.leaves", {"training.reduction=canonical"}, {"4"}},
        {"training.resume", {}, {"runs/first"}},
    };
}

RunConfig configured(const Assignments& assignments) {
    RunConfig config;
    for (const std::string& one : assignments) {
        INFO(one);
        REQUIRE(config.set(one).empty());
    }
    return config;
}

// Returns the values to test for a setting whose trial lists none.
Assignments derivedValues(const ConfigField& field, const RunConfig& base) {
    const Json value = fieldValue(field, base);
    Assignments values;
    for (const std::string_view choice : field.choices)
        if (value != std::string(choice)) values.emplace_back(choice);
    if (field.type == FieldType::kBoolean) values.emplace_back(value.get<bool>() ? "false" : "true");
    if (field.type == FieldType::kInteger) values.push_back(std::to_string(value.get<std::int64_t>() + 1));
    if (field.type == FieldType::kReal) values.push_back(Json(value.get<double>() / 2 + 0.25).dump());
    if (field.type == FieldType::kIntegerList) values.emplace_back("[9, 8]");
    if (field.type == FieldType::kText) values.emplace_back("another");
    return values;
}

// Returns the script without its copy of the experiment, which the script does not use.
std::string read(const std::string& script) {
    const std::size_t from = script.find("\nCONFIG = {");
    const std::size_t to = script.find("\n}\n", from);
    REQUIRE(to != std::string::npos);
    return script.substr(0, from) + script.substr(to);
}

void checkChange(const ConfigField& field, const Assignments& context, const std::string& value) {
    const std::string assignment = std::string(field.path) + "=" + value;
    CAPTURE(context, assignment);
    const Result<PytorchScript> before = exportPytorch(configured(context), {}, "train.py");
    INFO((before ? std::string() : before.problem().text()));
    REQUIRE(before);
    const Result<PytorchScript> after = exportPytorch(configured(with(context, {assignment})), {}, "train.py");
    if (!after) {  // a refusal must have a message and a remedy
        CHECK_FALSE(after.problem().message.empty());
        CHECK_FALSE(after.problem().remedy.empty());
        return;
    }
    const bool changed = read(before.value().text) != read(after.value().text);
    CHECK(changed != isWithoutEffect(context, assignment));
}

void checkField(const ConfigField& field, const Trial& trial) {
    const Assignments values = trial.values.empty() ? derivedValues(field, configured(trial.context)) : trial.values;
    CHECK_FALSE(values.empty());
    for (const std::string& value : values) checkChange(field, trial.context, value);
}

}  // namespace

TEST_CASE("each setting changes the script, is refused, or is named in it as not carried over") {
    const Files files;
    const std::vector<Trial> special = trials(files);
    for (const ConfigField& field : configFields()) {
        bool tried = false;
        for (const Trial& trial : special)
            if (trial.path == field.path) {
                checkField(field, trial);
                tried = true;
            }
        if (!tried) checkField(field, {std::string(field.path), {}});
    }
}

// Settings that are independent of the strategy must be in the script of each strategy.
TEST_CASE("settings of loading and training reach the scripts of all strategies") {
    const Assignments context = GENERATE_COPY(
        with(kFsdp, {"loader.drop_last=true"}), with(kFsdp, {"fsdp.shard=optimizer"}), kPipeline,
        with(kPipeline, {"mesh.shard=2"}), Assignments{"parallel.strategy=data_parallel", "loader.batch_size=16"});
    const Files files;
    const std::vector<Trial> special = trials(files);
    for (const ConfigField& field : configFields()) {
        const std::string_view section = field.section();
        const bool common = section == "loader" || section == "optimizer" || section == "schedule" ||
                            section == "training" || section == "sampler" || section == "telemetry";
        if (!common) continue;
        const auto found = std::ranges::find(special, field.path, &Trial::path);
        Trial trial = found == special.end() ? Trial{std::string(field.path), {}} : *found;
        trial.context = with(context, trial.context);
        checkField(field, trial);
    }
}

TEST_CASE("a setting that is not carried over is in a comment with its value and the reason, and in the note") {
    const RunConfig config = configured({"training.recompute=all", R"(parallel.interface="a\n#b")"});
    const PytorchScript script = exportPytorch(config, {}, "train.py").value();
    CHECK(script.text.find("# Settings of the experiment that this script does not carry over:\n"
                           "#   parallel.interface \"a\\n#b\": GLOO_SOCKET_IFNAME sets it\n"
                           "#   training.recompute \"all\": activations are kept, which takes more memory and gives "
                           "the same numbers\n# The experiment in") != std::string::npos);
    CHECK(script.note ==
          "The script does not carry over parallel.interface, training.recompute; its comments describe what it does "
          "instead.");
    CHECK(exportPytorch(RunConfig(), {}, "train.py").value().text.find("not carry over") == std::string::npos);
}

TEST_CASE("a canonical reduction is named in the script") {
    const std::string text = exportPytorch(configured({"training.reduction=canonical"}), {}, "train.py").value().text;
    CHECK(text.find("PyTorch has no canonical reduction") != std::string::npos);
    CHECK(text.find("#   training.reduction \"canonical\": ") != std::string::npos);
}

TEST_CASE("pitfalls of steps are refused like pitfalls of sampling") {
    for (const char* pitfall : {"pitfalls.early_exit=true", "pitfalls.sum_gradients=true",
                                "pitfalls.local_metrics=true", "pitfalls.slow_rank=1"}) {
        CAPTURE(pitfall);
        const Result<PytorchScript> script = exportPytorch(configured({pitfall}), {}, "train.py");
        REQUIRE_FALSE(script);
        CHECK(script.problem().field == "pitfalls");
        CHECK(exportProblems(configured({pitfall})).size() == 1);
    }
}

TEST_CASE("a script ends after training.max_steps") {
    const std::string text = exportPytorch(configured({"training.max_steps=7"}), {}, "train.py").value().text;
    CHECK(text.find("MAX_STEPS = 7  #") != std::string::npos);
    CHECK(text.find("        if step == MAX_STEPS:\n            break\n    report.line(") != std::string::npos);
    CHECK(exportPytorch(RunConfig(), {}, "train.py").value().text.find("MAX_STEPS") == std::string::npos);
}

TEST_CASE("a list of layers exports the classes that PyTorch does not have") {
    const Assignments text = {"dataset.kind=text", "model.kind=layers", "loader.batch_size=8"};
    const auto scriptOf = [&](const std::string& layers) {
        return exportPytorch(configured(with(text, {"model.layers=" + layers})), {}, "train.py").value().text;
    };
    const std::string script = scriptOf(
        R"([{"kind": "embedding", "out": 16}, {"kind": "position_embedding"},
            {"kind": "residual", "layers": [{"kind": "attention", "heads": 2}]}, {"kind": "linear"}])");
    CHECK(script.find("class PositionEmbedding(nn.Embedding):") != std::string::npos);
    CHECK(script.find("        PositionEmbedding(64, 16),\n") != std::string::npos);
    CHECK(script.find("class CausalSelfAttention(nn.Module):") != std::string::npos);
    CHECK(script.find("nn.Sequential(CausalSelfAttention(16, heads=2))") != std::string::npos);
    CHECK(script.find("nn.PositionEmbedding") == std::string::npos);
    CHECK(script.find("nn.CausalSelfAttention") == std::string::npos);
}

TEST_CASE("the script for a folder of images warns of Pillow 13, which resizes tall images differently") {
    const Files files;
    const std::string text = exportPytorch(configured(files.images()), {}, "train.py").value().text;
    CHECK(text.find("from PIL import Image, __version__ as pillow_version\n") != std::string::npos);
    CHECK(text.find("# Ringside and Pillow before version 13 resize rows first.") != std::string::npos);
    CHECK(text.find("    return checked(Images(path))\n") != std::string::npos);
}
