// SPDX-License-Identifier: Apache-2.0
#include "nn/blocks/sequence.h"

#include <algorithm>

namespace ringside {

void Sequence::prepare(const LayerMemory& memory, const Shape&, std::int64_t maxBatch) {
    for (const auto& layer : m_layers) layer->prepare(memory, layer.built.input, maxBatch);
}

std::vector<Parameter*> Sequence::parameters() {
    std::vector<Parameter*> all;
    for (const auto& layer : m_layers)
        for (Parameter* parameter : layer->parameters()) all.push_back(parameter);
    return all;
}

std::vector<Parameter*> Sequence::buffers() {
    std::vector<Parameter*> all;
    for (const auto& layer : m_layers)
        for (Parameter* buffer : layer->buffers()) all.push_back(buffer);
    return all;
}

bool Sequence::has(const Parameter& parameter) const {
    return std::ranges::any_of(
        m_layers, [&](const auto& layer) { return std::ranges::count(layer->parameters(), &parameter) > 0; });
}

bool Sequence::isUsed(const Parameter& parameter) const {
    return std::ranges::all_of(m_layers, [&](const auto& layer) { return layer->isUsed(parameter); });
}

void Sequence::initialise(TorchGenerator& generator, Backend& backend) {
    for (const auto& layer : m_layers) layer->initialise(generator, backend);
}

void Sequence::begin(const Pass& pass) {
    for (const auto& layer : m_layers) layer->begin(pass);
}

Tensor Sequence::forward(const Tensor& x) {
    Tensor value = x;
    for (const auto& layer : m_layers) value = layer->forward(value);
    return value;
}

void Sequence::backwardParameters(const Tensor& gradY) {
    m_gradFirst = gradY;
    for (std::size_t i = m_layers.size() - 1; i > 0; --i) {
        m_layers[i]->backwardParameters(m_gradFirst);
        m_gradFirst = m_layers[i]->backwardInput(m_gradFirst);
    }
    m_layers.front()->backwardParameters(m_gradFirst);
}

Tensor Sequence::backwardInput(const Tensor&) {
    return m_layers.front()->backwardInput(m_gradFirst);
}

}  // namespace ringside
