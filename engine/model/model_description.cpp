// SPDX-License-Identifier: Apache-2.0
#include "model/model_description.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "data/dataset.h"
#include "model/layer_list.h"

namespace ringside {

namespace {

std::string numbers(std::initializer_list<std::int64_t> values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
}

// Layers one after the other, each told what comes in; the first that does not fit is the problem.
class Builder {
  public:
    explicit Builder(const Shape& sample) : m_shape(sample) {}

    void add(LayerDescription layer) {
        if (m_problem) return;
        layer.input = m_shape;
        if (!fit(layer)) return;
        m_shape = layer.output;
        m_description.layers.push_back(std::move(layer));
    }
    void linear(const std::string& name, std::int64_t outputs) {
        add({.kind = LayerKind::kLinear, .name = name, .outputs = outputs});
    }
    void convolution(const std::string& name, std::int64_t channels) {
        add({.kind = LayerKind::kConv2d, .name = name, .outputs = channels, .kernel = 3, .padding = 1});
    }
    void relu() { add({.kind = LayerKind::kReLU}); }
    void maxPool() { add({.kind = LayerKind::kMaxPool2d, .kernel = 2}); }
    void flatten() { add({.kind = LayerKind::kFlatten}); }

    Result<ModelDescription> result() && {
        if (m_problem) return *m_problem;
        return std::move(m_description);
    }

  private:
    bool fit(LayerDescription& layer) {
        switch (layer.kind) {
            case LayerKind::kLinear:
                layer.output = {layer.outputs};
                return m_shape.dimensions() == 1 || refuse(layer, "values in one row", "put a flatten before it");
            case LayerKind::kFlatten:
                layer.output = {m_shape.count()};
                return true;
            case LayerKind::kReLU:
            case LayerKind::kGelu:
                layer.output = m_shape;
                return true;
            case LayerKind::kLayerNorm:
                layer.output = m_shape;
                return m_shape.dimensions() == 1 || refuse(layer, "values in one row", "put a flatten before it");
            case LayerKind::kConv2d:
                return fitConvolution(layer);
            case LayerKind::kMaxPool2d:
                return fitPooling(layer);
        }
        return false;
    }

    bool isImage() const { return m_shape.dimensions() == 3; }

    bool fitConvolution(LayerDescription& layer) {
        if (!isImage()) return refuse(layer, "images (channels, height, width)", "choose a data set of images");
        const std::int64_t reach = 2 * layer.padding - layer.kernel;
        if (m_shape[1] + reach < 0 || m_shape[2] + reach < 0)
            return refuse(layer,
                          "images of at least " + std::to_string(-2 * layer.padding + layer.kernel) + " pixels a side",
                          "use larger images or fewer layers");
        layer.output = {layer.outputs, (m_shape[1] + reach) / layer.stride + 1,
                        (m_shape[2] + reach) / layer.stride + 1};
        return true;
    }

    bool fitPooling(LayerDescription& layer) {
        if (!isImage()) return refuse(layer, "images (channels, height, width)", "choose a data set of images");
        if (m_shape[1] < layer.kernel || m_shape[2] < layer.kernel)
            return refuse(layer, "images of at least " + std::to_string(layer.kernel) + " pixels a side",
                          "use larger images or fewer layers");
        layer.output = {m_shape[0], m_shape[1] / layer.kernel, m_shape[2] / layer.kernel};
        return true;
    }

    bool refuse(const LayerDescription& layer, const std::string& wanted, const std::string& remedy) {
        m_problem = Problem{"model",
                            "layer " + std::to_string(m_description.layers.size()) + ", " + layer.text() + ", takes " +
                                wanted + " but gets the shape " + m_shape.text(),
                            remedy};
        return false;
    }

    Shape m_shape;
    ModelDescription m_description;
    std::optional<Problem> m_problem;
};

void buildMlp(Builder& builder, const ModelConfig& config, const Shape& sample, std::int64_t outputs) {
    if (sample.dimensions() > 1) builder.flatten();
    std::size_t place = 0;  // in the nn.Sequential, which has the flattening outside
    for (const std::int64_t width : config.hidden) {
        builder.linear(std::to_string(place), width);
        builder.relu();
        place += 2;
    }
    builder.linear(std::to_string(place), outputs);
}

void buildSimpleCnn(Builder& builder, std::int64_t outputs) {
    builder.convolution("conv1", 32);
    builder.relu();
    builder.maxPool();
    builder.convolution("conv2", 64);
    builder.relu();
    builder.maxPool();
    builder.flatten();
    builder.linear("fc1", 512);
    builder.relu();
    builder.linear("fc2", outputs);
}

Result<ModelDescription> describeList(Builder& builder, const ModelConfig& config, std::int64_t outputs) {
    const auto list = readLayerList(config.layers, outputs);
    if (!list) return list.problem();
    for (const LayerDescription& layer : list.value()) builder.add(layer);
    Result<ModelDescription> model = std::move(builder).result();
    if (!model) return model;
    if (model.value().parameters() == 0)
        return Problem{"model.layers", "has no layer with parameters, so that nothing can be learnt",
                       "add a linear layer"};
    const Shape last = model.value().layers.back().output;
    if (last != Shape{outputs})
        return Problem{"model.layers",
                       "ends with the shape " + last.text() + ", but the data set asks for " + Shape{outputs}.text(),
                       "end with a flatten and a linear layer"};
    return model;
}

}  // namespace

std::string LayerDescription::text() const {
    const std::int64_t inputs = input.dimensions() > 0 ? input[0] : 0;
    switch (kind) {
        case LayerKind::kLinear:
            return "Linear(" + numbers({inputs, outputs}) + ")";
        case LayerKind::kConv2d:
            return "Conv2d(" + numbers({inputs, outputs}) + ", kernel_size=" + std::to_string(kernel) +
                   (stride != 1 ? ", stride=" + std::to_string(stride) : "") +
                   (padding != 0 ? ", padding=" + std::to_string(padding) : "") + ")";
        case LayerKind::kMaxPool2d:
            return "MaxPool2d(" + std::to_string(kernel) + ")";
        case LayerKind::kReLU:
            return "ReLU()";
        case LayerKind::kGelu:
            return "GELU()";
        case LayerKind::kLayerNorm:
            return "LayerNorm(" + std::to_string(inputs) + ")";
        case LayerKind::kFlatten:
            break;
    }
    return "Flatten()";
}

std::int64_t LayerDescription::parameters() const {
    if (kind == LayerKind::kLinear) return (input[0] + 1) * outputs;
    if (kind == LayerKind::kConv2d) return (input[0] * kernel * kernel + 1) * outputs;
    if (kind == LayerKind::kLayerNorm) return 2 * input[0];
    return 0;
}

std::int64_t LayerDescription::flops() const {
    switch (kind) {
        case LayerKind::kLinear:
            return 2 * input[0] * outputs;
        case LayerKind::kConv2d:
            return 2 * input[0] * kernel * kernel * output.count();
        case LayerKind::kMaxPool2d:
            return kernel * kernel * output.count();
        case LayerKind::kReLU:
            return output.count();
        case LayerKind::kGelu:  // a multiplication by the distribution function, which counts as one operation
            return 2 * output.count();
        case LayerKind::kLayerNorm:  // mean, variance, scaling, weight and bias
            return 7 * output.count();
        case LayerKind::kFlatten:
            break;
    }
    return 0;
}

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
    for (const LayerDescription& layer : layers)
        if (layer.kind != LayerKind::kReLU && layer.kind != LayerKind::kFlatten) sum += layer.output.count();
    return sum;
}

Result<ModelDescription> describeModel(const ModelConfig& config, const Shape& sample, std::int64_t outputs) {
    Builder builder(sample);
    if (config.kind == "mlp") {
        buildMlp(builder, config, sample, outputs);
    } else if (config.kind == "toy_linear") {
        if (sample.dimensions() > 1) builder.flatten();
        builder.linear("linear", outputs);
    } else if (config.kind == "simple_cnn") {
        buildSimpleCnn(builder, outputs);
    } else if (config.kind == "layers") {
        return describeList(builder, config, outputs);
    } else {
        return Problem{"model.kind",
                       "is \"" + config.kind + "\"; this version knows mlp, toy_linear, simple_cnn and layers",
                       "choose one of these"};
    }
    return std::move(builder).result();
}

Result<ModelDescription> describeModel(const ModelConfig& config, const Dataset& data) {
    return describeModel(config, modelInput(data.shape()), modelOutputs(data));
}

Shape modelInput(const SampleShape& sample) {
    if (!sample.isImage()) return {sample.features};
    return {sample.channels, sample.height, sample.width};
}

std::int64_t modelOutputs(const Dataset& data) {
    return data.classCount() > 0 ? data.classCount() : data.targetCount();
}

}  // namespace ringside
