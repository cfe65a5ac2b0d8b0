// SPDX-License-Identifier: Apache-2.0
#include "model/model_description.h"

#include <utility>

#include "data/sets/common/dataset.h"
#include "model/layer_chain.h"
#include "model/layer_list.h"

namespace ringside {

namespace {

using Layers = std::vector<LayerDescription>;

void buildMlp(LayerChain& chain, const ModelConfig& config, const ModelInterface& interface) {
    if (interface.sample.dimensions() > 1) chain.flatten();
    std::size_t place = 0;  // index of the next layer in the nn.Sequential, which does not contain the flatten layer
    for (const std::int64_t width : config.hidden) {
        chain.linear(std::to_string(place), width);
        chain.relu();
        place += 2;
    }
    chain.linear(std::to_string(place), interface.outputs);
}

void buildToy(LayerChain& chain, const ModelConfig&, const ModelInterface& interface) {
    if (interface.sample.dimensions() > 1) chain.flatten();
    chain.linear("linear", interface.outputs);
}

void buildSimpleCnn(LayerChain& chain, const ModelConfig&, const ModelInterface& interface) {
    chain.convolution("conv1", 32);
    chain.relu();
    chain.maxPool();
    chain.convolution("conv2", 64);
    chain.relu();
    chain.maxPool();
    chain.flatten();
    chain.linear("fc1", 512);
    chain.relu();
    chain.linear("fc2", interface.outputs);
}

LayerDescription plainConvolution(const std::string& name, std::int64_t channels, std::int64_t kernel,
                                  std::int64_t stride) {
    return {.kind = LayerKind::kConv2d,
            .name = name,
            .outputs = channels,
            .kernel = kernel,
            .stride = stride,
            .padding = kernel / 2,
            .bias = false};
}

LayerDescription batchNorm(const std::string& name) {
    return {.kind = LayerKind::kBatchNorm2d, .name = name};
}

LayerDescription basicBlock(const std::string& name, std::int64_t channels, std::int64_t stride, bool reshapes) {
    LayerDescription block{.kind = LayerKind::kResidual, .name = name};
    block.body = {plainConvolution(name + ".conv1", channels, 3, stride),
                  batchNorm(name + ".bn1"),
                  {.kind = LayerKind::kReLU},
                  plainConvolution(name + ".conv2", channels, 3, 1),
                  batchNorm(name + ".bn2")};
    if (reshapes)
        block.shortcut = {plainConvolution(name + ".downsample.0", channels, 1, stride),
                          batchNorm(name + ".downsample.1")};
    return block;
}

void buildResidualCnn(LayerChain& chain, const ModelConfig& config, const ModelInterface& interface) {
    chain.add(plainConvolution("conv1", config.width, 3, 1));
    chain.add(batchNorm("bn1"));
    chain.relu();
    for (std::int64_t stage = 0; stage < 3; ++stage)
        for (std::int64_t block = 0; block < config.depth; ++block) {
            const bool reshapes = stage > 0 && block == 0;
            chain.add(basicBlock("layer" + std::to_string(stage + 1) + "." + std::to_string(block),
                                 config.width << stage, reshapes ? 2 : 1, reshapes));
            chain.relu();
        }
    chain.add({.kind = LayerKind::kGlobalAveragePool});
    chain.linear("fc", interface.outputs);
}

void addDropout(Layers& layers, double probability) {
    if (probability > 0) layers.push_back({.kind = LayerKind::kDropout, .probability = probability});
}

void buildTransformer(LayerChain& chain, const ModelConfig& config, const ModelInterface& interface) {
    chain.add({.kind = LayerKind::kEmbedding, .name = "token_embedding", .outputs = config.width});
    chain.add({.kind = LayerKind::kPositionEmbedding, .name = "position_embedding"});
    if (config.dropout > 0) chain.add({.kind = LayerKind::kDropout, .probability = config.dropout});
    for (std::int64_t i = 0; i < config.depth; ++i) {
        const std::string name = "blocks." + std::to_string(i);
        LayerDescription attention{.kind = LayerKind::kResidual, .name = name};
        attention.body = {{.kind = LayerKind::kLayerNorm, .name = name + ".norm1"},
                          {.kind = LayerKind::kAttention, .name = name + ".attention", .heads = config.heads}};
        addDropout(attention.body, config.dropout);
        chain.add(attention);
        LayerDescription mlp{.kind = LayerKind::kResidual, .name = name};
        mlp.body = {{.kind = LayerKind::kLayerNorm, .name = name + ".norm2"},
                    {.kind = LayerKind::kLinear, .name = name + ".mlp.0", .outputs = 4 * config.width},
                    {.kind = LayerKind::kGelu},
                    {.kind = LayerKind::kLinear, .name = name + ".mlp.2", .outputs = config.width}};
        addDropout(mlp.body, config.dropout);
        chain.add(mlp);
    }
    chain.add({.kind = LayerKind::kLayerNorm, .name = "norm"});
    chain.linear("head", interface.outputs);
}

struct Kind {
    ModelKind name;
    void (*build)(LayerChain& chain, const ModelConfig& config, const ModelInterface& interface);
};

constexpr Kind kKinds[] = {{ModelKind::kMlp, buildMlp},
                           {ModelKind::kToyLinear, buildToy},
                           {ModelKind::kSimpleCnn, buildSimpleCnn},
                           {ModelKind::kResidualCnn, buildResidualCnn},
                           {ModelKind::kTransformer, buildTransformer}};

Result<ModelDescription> finished(LayerChain chain, const std::string& field, const ModelInterface& interface) {
    const Shape last = chain.shape();
    auto layers = std::move(chain).result();
    if (!layers) return layers.problem();
    ModelDescription model{std::move(layers).value()};
    if (model.parameters() == 0)
        return Problem{field, "has no layer with parameters, so nothing can be trained", "add a linear layer"};
    const Shape wanted =
        interface.isSequence ? Shape{interface.sample[0], interface.outputs} : Shape{interface.outputs};
    if (last == wanted) return model;
    return Problem{field, "ends with the shape " + last.text() + ", but the data set needs " + wanted.text(),
                   interface.isSequence ? "choose transformer as model.kind, which predicts every next character"
                                        : "end with a flatten and a linear layer"};
}

}  // namespace

std::int64_t ModelDescription::parameters() const {
    std::int64_t sum = 0;
    for (const LayerDescription& layer : layers) sum += layer.parameters();
    return sum;
}

std::int64_t ModelDescription::flops() const {
    std::int64_t sum = 0;
    for (const LayerDescription& layer : layers) sum += layer.flops();
    return sum;
}

std::int64_t ModelDescription::activations() const {
    std::int64_t sum = 0;
    for (const LayerDescription& layer : layers) sum += layer.activations();
    return sum;
}

Result<ModelDescription> describeModel(const ModelConfig& config, const ModelInterface& interface) {
    LayerChain chain(interface.sample, interface.isSequence ? interface.outputs : 0);
    if (config.kind == ModelKind::kLayers) {
        const auto list = readLayerList(config.layers, interface.outputs);
        if (!list) return list.problem();
        for (const LayerDescription& layer : list.value()) chain.add(layer);
        return finished(std::move(chain), "model.layers", interface);
    }
    const auto kind = std::ranges::find(kKinds, config.kind, &Kind::name);
    RINGSIDE_ASSERT(kind != std::end(kKinds));
    kind->build(chain, config, interface);
    return finished(std::move(chain), "model.kind", interface);
}

Result<ModelDescription> describeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs) {
    return describeModel(config, {.sample = sample, .outputs = outputs});
}

Result<ModelDescription> describeModel(const ModelConfig& config, const Dataset& data) {
    return describeModel(config, modelInterface(data));
}

ModelInterface modelInterface(const Dataset& data) {
    return {modelInput(data.shape()), modelOutputs(data), data.shape().isSequence};
}

Shape modelInput(const SampleShape& sample) {
    if (!sample.isImage()) return {sample.features};
    return {sample.channels, sample.height, sample.width};
}

std::int64_t modelOutputs(const Dataset& data) {
    return data.classCount() > 0 ? data.classCount() : data.targetCount();
}

}  // namespace ringside
