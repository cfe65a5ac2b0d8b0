// SPDX-License-Identifier: Apache-2.0
#include "model/layer_chain.h"

#include <utility>

namespace ringside {

void LayerChain::add(LayerDescription layer) {
    if (m_problem) return;
    layer.input = m_shape;
    if (!fit(layer)) return;
    m_shape = layer.output;
    m_layers.push_back(std::move(layer));
}

void LayerChain::linear(const std::string& name, std::int64_t outputs) {
    add({.kind = LayerKind::kLinear, .name = name, .outputs = outputs});
}

void LayerChain::convolution(const std::string& name, std::int64_t channels) {
    add({.kind = LayerKind::kConv2d, .name = name, .outputs = channels, .kernel = 3, .padding = 1});
}

Result<std::vector<LayerDescription>> LayerChain::result() && {
    if (m_problem) return *m_problem;
    return std::move(m_layers);
}

bool LayerChain::fit(LayerDescription& layer) {
    switch (layer.kind) {
        case LayerKind::kLinear:
        case LayerKind::kLayerNorm:
            return inferValuesOutput(layer);
        case LayerKind::kFlatten:
            layer.output = {m_shape.count()};
            return true;
        case LayerKind::kReLU:
        case LayerKind::kGelu:
        case LayerKind::kDropout:
            layer.output = m_shape;
            return true;
        case LayerKind::kConv2d:
            return inferConvolutionOutput(layer);
        case LayerKind::kMaxPool2d:
            return inferPoolingOutput(layer);
        case LayerKind::kGlobalAveragePool:
        case LayerKind::kBatchNorm2d:
            return inferImageOutput(layer);
        case LayerKind::kEmbedding:
            return inferEmbeddingOutput(layer);
        case LayerKind::kPositionEmbedding:
        case LayerKind::kAttention:
            return inferAttentionOutput(layer);
        case LayerKind::kResidual:
            return inferResidualOutput(layer);
    }
    return false;
}

// Sets the output shape of a linear layer or layer norm. Accepts samples of one row of values, or of one row per
// position; refuses images.
bool LayerChain::inferValuesOutput(LayerDescription& layer) {
    const int dimensions = m_shape.dimensions();
    layer.output = m_shape;
    if (layer.kind == LayerKind::kLinear)
        layer.output = dimensions == 2 ? Shape{m_shape[0], layer.outputs} : Shape{layer.outputs};
    return dimensions == 1 || dimensions == 2 ||
           refuse(layer, "one vector of values for each sample or position", "add a flatten layer before this layer");
}

bool LayerChain::inferConvolutionOutput(LayerDescription& layer) {
    if (m_shape.dimensions() != 3)
        return refuse(layer, "images (channels, height, width)", "choose a data set of images");
    const std::int64_t reach = 2 * layer.padding - layer.kernel;
    if (m_shape[1] + reach < 0 || m_shape[2] + reach < 0)
        return refuse(layer,
                      "images of at least " + std::to_string(-2 * layer.padding + layer.kernel) + " pixels per side",
                      "use larger images or fewer layers");
    layer.output = {layer.outputs, (m_shape[1] + reach) / layer.stride + 1, (m_shape[2] + reach) / layer.stride + 1};
    return true;
}

bool LayerChain::inferPoolingOutput(LayerDescription& layer) {
    if (m_shape.dimensions() != 3)
        return refuse(layer, "images (channels, height, width)", "choose a data set of images");
    if (m_shape[1] < layer.kernel || m_shape[2] < layer.kernel)
        return refuse(layer, "images of at least " + std::to_string(layer.kernel) + " pixels per side",
                      "use larger images or fewer layers");
    layer.output = {m_shape[0], m_shape[1] / layer.kernel, m_shape[2] / layer.kernel};
    return true;
}

bool LayerChain::inferImageOutput(LayerDescription& layer) {
    if (m_shape.dimensions() != 3)
        return refuse(layer, "images (channels, height, width)",
                      "place this layer before the flatten layer, where the values are still images");
    layer.output = layer.kind == LayerKind::kGlobalAveragePool ? Shape{m_shape[0]} : m_shape;
    return true;
}

bool LayerChain::inferEmbeddingOutput(LayerDescription& layer) {
    layer.words = m_words;
    if (m_words == 0) return refuse(layer, "the characters of a text", "choose text as dataset.kind");
    if (m_shape.dimensions() != 1 || !m_layers.empty())
        return refuse(layer, "the characters of the data set", "make this layer the first one");
    layer.output = {m_shape[0], layer.outputs};
    return true;
}

bool LayerChain::inferAttentionOutput(LayerDescription& layer) {
    layer.output = m_shape;
    if (m_shape.dimensions() != 2)
        return refuse(layer, "a sequence (positions, values)", "place this layer after an embedding");
    if (layer.kind == LayerKind::kAttention && m_shape[1] % layer.heads != 0)
        return refuse(layer, "values whose number is a multiple of its heads", "change the width or the heads");
    return true;
}

bool LayerChain::inferResidualOutput(LayerDescription& layer) {
    const std::string place = m_where + "layer " + std::to_string(m_layers.size()) + ", ";
    for (auto* part : {&layer.body, &layer.shortcut}) {
        LayerChain chain(m_shape, 0, place + (part == &layer.body ? "body " : "shortcut "));
        for (const LayerDescription& one : *part) chain.add(one);
        const Shape shape = chain.m_shape;
        auto layers = std::move(chain).result();
        if (!layers) {
            m_problem = layers.problem();
            return false;
        }
        *part = std::move(layers).value();
        if (part == &layer.body) layer.output = shape;
        // Refuses a ReLU at the end of the body or shortcut of a residual block: it works in place and would overwrite
        // memory that the sum of body and shortcut still needs.
        const bool endsInPlace = !part->empty() && part->back().kind == LayerKind::kReLU;
        if (endsInPlace)
            return refuse(layer, "no relu at the end of its body or shortcut", "put the relu after the residual");
        if (shape == layer.output) continue;
        m_problem = Problem{"model",
                            place + "Residual(), adds the shape " + shape.text() + " of its shortcut to " +
                                layer.output.text() + " of its body",
                            "give the residual a shortcut that ends with the shape of its body"};
        return false;
    }
    std::int64_t parameters = 0;
    for (const LayerDescription& one : layer.body) parameters += one.parameters();
    return parameters > 0 || refuse(layer, "a body with parameters", "add a linear or conv2d layer to the body");
}

bool LayerChain::refuse(const LayerDescription& layer, const std::string& wanted, const std::string& remedy) {
    m_problem = Problem{"model",
                        m_where + "layer " + std::to_string(m_layers.size()) + ", " + layer.text() + ", needs " +
                            wanted + " but receives the shape " + m_shape.text(),
                        remedy};
    return false;
}

}  // namespace ringside
