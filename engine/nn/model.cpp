// SPDX-License-Identifier: Apache-2.0
#include "nn/model.h"

#include "base/errors.h"

namespace ringside {

Result<Shape> Model::prepare(const Shape& sample, std::int64_t maxBatch) {
    RINGSIDE_ASSERT(m_parameters.empty());
    Shape shape = sample;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        Result<Shape> output = m_layers[i]->outputShape(shape);
        if (!output) {
            Problem problem = output.problem();
            problem.message = "layer " + std::to_string(i) + ", " + problem.message;
            return problem;
        }
        m_layers[i]->prepare(m_backend, shape, maxBatch);
        m_firstParameter.push_back(m_parameters.size());
        const std::vector<Parameter*> parameters = m_layers[i]->parameters();
        if (m_parameters.empty()) m_firstTrainedLayer = i;
        m_parameters.insert(m_parameters.end(), parameters.begin(), parameters.end());
        m_state.insert(m_state.end(), parameters.begin(), parameters.end());
        const std::vector<Parameter*> buffers = m_layers[i]->buffers();
        m_state.insert(m_state.end(), buffers.begin(), buffers.end());
        shape = output.value();
    }
    return shape;
}

void Model::initialise(std::int64_t seed) {
    TorchGenerator generator(seed);
    for (const auto& layer : m_layers) layer->initialise(generator);
}

std::int64_t Model::parameterCount() const {
    std::int64_t count = 0;
    for (const Parameter* parameter : m_parameters) count += parameter->shape.count();
    return count;
}

std::string Model::describe() const {
    std::string text;
    for (const auto& layer : m_layers) {
        const std::string one = layer->describe();
        text += (text.empty() || one.empty() ? "" : ", ") + one;
    }
    return text;
}

void Model::begin(const Pass& pass) {
    for (const auto& layer : m_layers) layer->begin(pass);
}

Tensor Model::forward(const Tensor& x) {
    Tensor value = x;
    for (const auto& layer : m_layers) value = layer->forward(value);
    return value;
}

void Model::backward(const Tensor& gradOutput, const GradientReady& ready) {
    Tensor gradient = gradOutput;
    std::size_t end = m_parameters.size();
    for (std::size_t i = m_layers.size(); i-- > m_firstTrainedLayer;) {
        m_layers[i]->backwardParameters(gradient);
        while (end > m_firstParameter[i]) ready(--end);
        if (i > m_firstTrainedLayer) gradient = m_layers[i]->backwardInput(gradient);
    }
}

}  // namespace ringside
