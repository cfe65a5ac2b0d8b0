// SPDX-License-Identifier: Apache-2.0
#include "nn/blocks/residual.h"

#include "backend/backend.h"

namespace ringside {

Residual::Residual(Layers body, Layers shortcut) : m_body(std::move(body)) {
    if (!shortcut.empty()) m_shortcut.emplace(std::move(shortcut));
}

std::string Residual::describe() const {
    return "Residual(" + m_body.describe() + (m_shortcut ? "; " + m_shortcut->describe() : "") + ")";
}

Result<Shape> Residual::outputShape(const Shape& input) const {
    const Result<Shape> output = m_body.outputShape(input);
    const Result<Shape> beside = m_shortcut ? m_shortcut->outputShape(input) : input;
    if (!output || !beside || output.value() == beside.value()) return output ? beside : output;
    return Problem{"model",
                   "the sum of a residual needs one shape, but its body gives " + output.value().text() +
                       " and its shortcut " + beside.value().text(),
                   "give it a shortcut that fits"};
}

void Residual::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_body.prepare(memory, input, maxBatch);
    if (m_shortcut) m_shortcut->prepare(memory, input, maxBatch);
}

std::vector<Parameter*> Residual::parameters() {
    std::vector<Parameter*> all = m_body.parameters();
    if (m_shortcut)
        for (Parameter* parameter : m_shortcut->parameters()) all.push_back(parameter);
    return all;
}

std::vector<Parameter*> Residual::buffers() {
    std::vector<Parameter*> all = m_body.buffers();
    if (m_shortcut)
        for (Parameter* buffer : m_shortcut->buffers()) all.push_back(buffer);
    return all;
}

void Residual::initialise(TorchGenerator& generator, Backend& backend) {
    m_body.initialise(generator, backend);
    if (m_shortcut) m_shortcut->initialise(generator, backend);
}

void Residual::begin(const Pass& pass) {
    m_body.begin(pass);
    if (m_shortcut) m_shortcut->begin(pass);
}

Tensor Residual::forward(const Tensor& x) {
    const Tensor y = m_body.forward(x);
    m_backend->add(m_shortcut ? m_shortcut->forward(x) : x, y);
    return y;
}

void Residual::backwardParameters(const Tensor& gradY) {
    if (m_shortcut) m_shortcut->backwardParameters(gradY);
    m_body.backwardParameters(gradY);
}

Tensor Residual::backwardInput(const Tensor& gradY) {
    const Tensor gradX = m_body.backwardInput(gradY);
    m_backend->add(m_shortcut ? m_shortcut->backwardInput(gradY) : gradY, gradX);
    return gradX;
}

}  // namespace ringside
