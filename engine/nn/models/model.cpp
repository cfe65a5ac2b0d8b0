// SPDX-License-Identifier: Apache-2.0
#include "nn/models/model.h"

#include <algorithm>

#include "backend/backend.h"
#include "base/errors/errors.h"

namespace ringside {

namespace {

// Temporary memory for parameters that have no value. All layers use the same memory, one layer after another.
class PassingValues {
  public:
    explicit PassingValues(Backend& backend) : m_backend(backend), m_onDevice(backend) {}

    // Binds the layer's parameters and buffers that have no value, and returns them.
    std::vector<Parameter*> lend(Layer& layer) {
        std::vector<Parameter*> lent;
        m_onDevice.reset();
        m_onHost.clear();
        std::vector<Parameter*> all = layer.parameters();
        for (Parameter* buffer : layer.buffers()) all.push_back(buffer);
        for (Parameter* one : all) {
            if (one->value) continue;
            one->value = memoryFor(*one);
            lent.push_back(one);
        }
        return lent;
    }

  private:
    Tensor memoryFor(const Parameter& one) {
        if (m_backend.device().kind != Device::Kind::kCpu) return m_onDevice.allocate(one.shape, one.type);
        Tensor value{nullptr, one.shape, one.type, m_backend.device()};
        m_onHost.emplace_back((value.bytes() + 7) / 8);
        value.data = m_onHost.back().data();
        return value;
    }

    Backend& m_backend;
    ReusedMemory m_onDevice;
    std::vector<std::vector<std::uint64_t>> m_onHost;
};

void append(std::vector<Parameter*>& all, const std::vector<Parameter*>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void bindValue(Parameter& parameter, Backend& backend) {
    const bool isBuffer = parameter.name.find("running_") != std::string::npos || parameter.type == DType::kInt64;
    const MemoryScope scope(backend.memory(), isBuffer ? MemoryClass::kBuffers : MemoryClass::kParameters);
    parameter.value = backend.allocate(parameter.shape, parameter.type);
}

void Model::prepare(std::int64_t maxBatch, LayerRange range, Values values) {
    RINGSIDE_ASSERT(m_wholeState.empty());
    const MemoryScope scope(m_backend.memory(), MemoryClass::kActivations);
    m_range = {std::min(range.first, m_layers.size()), std::min(range.last, m_layers.size())};
    m_firstTrainedLayer = m_range.first;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        ModelLayer& layer = m_layers[i];
        const std::vector<Parameter*> parameters = layer->parameters();
        const std::vector<Parameter*> buffers = layer->buffers();
        append(m_wholeState, parameters);
        append(m_wholeParameters, parameters);
        append(m_wholeState, buffers);
        if (i == m_range.first) m_input = layer.built.input;
        if (i < m_range.first || i >= m_range.last) continue;
        layer->prepare(m_backend, layer.built.input, maxBatch);
        m_output = layer.built.output;
        m_firstParameter.push_back(m_parameters.size());
        if (m_parameters.empty() && m_range.first == 0) m_firstTrainedLayer = i;
        append(m_parameters, parameters);
        append(m_state, parameters);
        append(m_state, buffers);
    }
    if (values == Values::kOwn)
        for (Parameter* one : m_state) bindValue(*one, m_backend);
    m_gradients.resize(m_range.last - m_range.first);
}

void Model::initialise(std::int64_t seed, const Drawn& drawn) {
    TorchGenerator generator(seed);
    PassingValues values(m_backend);
    for (const auto& layer : m_layers) {
        const std::vector<Parameter*> lent = values.lend(*layer);
        layer->initialise(generator, m_backend);
        if (drawn) {
            for (const Parameter* one : layer->parameters()) drawn(*one);
            for (const Parameter* one : layer->buffers()) drawn(*one);
        }
        for (Parameter* one : lent) one->value = {};
    }
}

std::int64_t Model::parameterCount() const {
    std::int64_t count = 0;
    for (const Parameter* parameter : m_parameters) count += parameter->shape.count();
    return count;
}

std::string Model::describe() const {
    std::string text;
    for (const ModelLayer& layer : m_layers) {
        const std::string one = layer.built.describe();
        text += (text.empty() || one.empty() ? "" : ", ") + one;
    }
    return text;
}

void Model::begin(const Pass& pass) {
    for (std::size_t i = m_range.first; i < m_range.last; ++i) m_layers[i]->begin(pass);
}

Tensor Model::forward(const Tensor& x) {
    Tensor value = x;
    if (m_watch != nullptr) m_samples = x.count() / std::max<std::int64_t>(m_input.count(), 1);
    notifyPassBegin(LayerWatch::Work::kForward, m_samples);
    for (std::size_t i = m_range.first; i < m_range.last; ++i) {
        notifyLayerBegin(i);
        value = m_layers[i]->forward(value);
        notifyLayerDone(i, LayerWatch::Work::kForward);
    }
    notifyPassEnd();
    return value;
}

void Model::notifyPassBegin(LayerWatch::Work work, std::int64_t samples) {
    if (m_watch != nullptr) [[unlikely]]
        m_watch->onPassBegin(*this, work, samples);
}

// True if the gradient with respect to the layer's input is needed, by another layer of the range or by the previous
// stage.
bool Model::passesGradient(std::size_t layer) const {
    return layer > m_firstTrainedLayer || m_range.first > 0;
}

Tensor Model::backward(const Tensor& gradOutput, const GradientReady& ready) {
    Tensor gradient = gradOutput;
    std::size_t end = m_parameters.size();
    notifyPassBegin(LayerWatch::Work::kBackward, m_samples);
    for (std::size_t i = m_range.last; i-- > m_firstTrainedLayer;) {
        notifyLayerBegin(i);
        m_layers[i]->backwardParameters(gradient);
        notifyLayerDone(i, LayerWatch::Work::kWeights);
        while (end > m_firstParameter[i - m_range.first]) {
            --end;
            (m_unused && !m_layers[i]->isUsed(*m_parameters[end]) ? m_unused : ready)(end);
        }
        if (passesGradient(i)) gradient = m_layers[i]->backwardInput(gradient);
        notifyLayerDone(i, LayerWatch::Work::kInputs);
    }
    notifyPassEnd();
    return gradient;
}

void Model::notifyGradientReady(std::size_t layer, const GradientReady& ready) const {
    const std::size_t place = layer - m_range.first;
    const std::size_t end = place + 1 < m_firstParameter.size() ? m_firstParameter[place + 1] : m_parameters.size();
    for (std::size_t i = end; i > m_firstParameter[place]; --i) ready(i - 1);
}

Tensor Model::backwardInputs(const Tensor& gradOutput, const GradientReady& ready) {
    Tensor gradient = gradOutput;
    notifyPassBegin(LayerWatch::Work::kInputs, m_samples);
    for (std::size_t i = m_range.last; i-- > m_firstTrainedLayer;) {
        notifyLayerBegin(i);
        m_gradients[i - m_range.first] = gradient;
        if (!m_layers[i]->splitsBackward()) {
            m_layers[i]->backwardParameters(gradient);
            notifyGradientReady(i, ready);
        }
        if (passesGradient(i)) gradient = m_layers[i]->backwardInput(gradient);
        notifyLayerDone(i, LayerWatch::Work::kInputs);
    }
    notifyPassEnd();
    return gradient;
}

void Model::backwardWeights(const GradientReady& ready) {
    notifyPassBegin(LayerWatch::Work::kWeights, m_samples);
    for (std::size_t i = m_range.last; i-- > m_firstTrainedLayer;) {
        notifyLayerBegin(i);
        if (m_layers[i]->splitsBackward()) {
            m_layers[i]->backwardParameters(m_gradients[i - m_range.first]);
            notifyGradientReady(i, ready);
        }
        notifyLayerDone(i, LayerWatch::Work::kWeights);
    }
    notifyPassEnd();
}

}  // namespace ringside
