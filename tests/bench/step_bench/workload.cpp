// SPDX-License-Identifier: Apache-2.0
#include "step_bench/workload.h"

#include <cstdlib>

#include "data/sets/builtin/text_dataset.h"
#include "data/sets/common/memory_dataset.h"
#include "sampling/random/torch_random.h"

namespace ringside {

namespace {

constexpr SampleShape kColourImage{3, 32, 32, 3 * 32 * 32};
constexpr std::string_view kGeluLayers =
    R"(model.layers=[{"kind":"conv2d","out":32,"kernel":5,"padding":2},{"kind":"gelu"},{"kind":"max_pool2d","kernel":2},)"
    R"({"kind":"conv2d","out":64,"kernel":5,"padding":2},{"kind":"gelu"},{"kind":"max_pool2d","kernel":2},)"
    R"({"kind":"flatten"},{"kind":"linear"}])";

const std::vector<Workload>& workloads() {
    static const std::vector<Workload> all{
        {"mlp", {"loader.batch_size=32"}, {.features = 64}},
        {"mlp_1024", {"loader.batch_size=128", "model.hidden=[4096,4096]", "optimizer.lr=0.001"}, {.features = 1024}},
        {"mlp_1024_adamw",
         {"loader.batch_size=128", "model.hidden=[4096,4096]", "optimizer.kind=adamw", "optimizer.lr=0.001",
          "optimizer.weight_decay=0.01"},
         {.features = 1024}},
        {"cnn", {"loader.batch_size=128", "model.kind=simple_cnn"}, kColourImage},
        {"cnn_b8", {"loader.batch_size=8", "model.kind=simple_cnn"}, kColourImage},
        {"gelu_cnn", {"loader.batch_size=64", "model.kind=layers", kGeluLayers}, kColourImage},
        {"residual",
         {"loader.batch_size=32", "model.kind=residual_cnn", "model.width=64", "model.depth=2"},
         kColourImage},
        {"transformer",
         {"loader.batch_size=16", "model.kind=transformer", "model.width=128", "model.depth=4", "model.heads=4",
          "dataset.kind=text", "dataset.context_length=64", "optimizer.kind=adamw", "optimizer.lr=0.001",
          "optimizer.weight_decay=0.01"},
         {}},
        {"transformer_256",
         {"loader.batch_size=8", "model.kind=transformer", "model.width=128", "model.depth=4", "model.heads=4",
          "dataset.kind=text", "dataset.context_length=256", "optimizer.kind=adamw", "optimizer.lr=0.001",
          "optimizer.weight_decay=0.01"},
         {}}};
    return all;
}

DataSplit madeUpText(std::int64_t samples, std::int64_t length) {
    constexpr std::int64_t kCharacters = 64;
    TorchGenerator generator(0);
    std::string text;
    for (std::int64_t i = 0; i <= samples * length; ++i)
        text += static_cast<char>(i < kCharacters ? '0' + i : '0' + generator.randint(0, kCharacters));
    return {TextDataset::make(text, length, "made-up text").value(), nullptr, {}};
}

}  // namespace

const Workload* findWorkload(std::string_view name) {
    for (const Workload& workload : workloads())
        if (workload.name == name) return &workload;
    return nullptr;
}

std::string workloadNames() {
    std::string names;
    for (const Workload& workload : workloads()) names += (names.empty() ? "" : ", ") + std::string(workload.name);
    return names;
}

RunConfig configOf(const Workload& workload) {
    RunConfig config;
    config.optimizer.lr = 0.01;
    for (const std::string_view setting : workload.settings)
        if (!config.set(std::string(setting)).empty()) std::abort();
    return config;
}

DataSplit madeUpData(const Workload& workload, const RunConfig& config, std::int64_t samples) {
    if (config.dataset.kind == DatasetKind::kText) return madeUpText(samples, config.dataset.contextLength);
    SampleTable table;
    table.size = samples;
    table.shape = workload.shape;
    table.features.resize(static_cast<std::size_t>(samples * table.shape.features));
    TorchGenerator generator(0);
    generator.uniform(table.features, 0, 1);
    for (std::int64_t i = 0; i < samples; ++i)
        table.labels.push_back(static_cast<std::int32_t>(generator.randint(0, 10)));
    for (int label = 0; label < 10; ++label) table.classNames.push_back(std::to_string(label));
    return {std::make_shared<MemoryDataset>(std::move(table)), nullptr, {}};
}

}  // namespace ringside
