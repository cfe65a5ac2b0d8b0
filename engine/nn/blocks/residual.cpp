// SPDX-License-Identifier: Apache-2.0
#include "nn/blocks/residual.h"

#include "backend/backend.h"
#include "nn/layer/value_hash.h"

namespace ringside {

namespace {

// number that makes the random decision to skip the block independent of the masks of dropout
constexpr std::uint64_t kSkipStream = 0x736b6970;

}  // namespace

Residual::Residual(Layers body, Layers shortcut, SkipRule skip) : m_body(std::move(body)), m_skip(skip) {
    if (!shortcut.empty()) m_shortcut.emplace(std::move(shortcut));
}

void Residual::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_backend = &memory.backend();
    m_body.prepare(memory, input, maxBatch);
    if (m_shortcut) m_shortcut->prepare(memory, input, maxBatch);
    if (m_skip.probability <= 0) return;
    m_y = memory.allocate({maxBatch * m_body.output().count()}, DType::kFloat32);
    m_gradX = memory.allocateScratch({maxBatch * input.count()}, DType::kFloat32);
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
    constexpr double kKeys = 18446744073709551616.0;  // number of different 64-bit keys: 2^64
    const double drawn = static_cast<double>(hashOf({pass.key, m_skip.number, kSkipStream})) / kKeys;
    m_isSkipped = pass.training && drawn < m_skip.probability;
}

// Copies the tensor `from` to separate memory, because the next layer may overwrite its own input.
Tensor Residual::copied(const Tensor& from, const Tensor& to) const {
    Tensor copy = from;
    copy.data = to.data;
    m_backend->copy(from, copy);
    return copy;
}

Tensor Residual::forward(const Tensor& x) {
    if (m_isSkipped) return copied(m_shortcut ? m_shortcut->forward(x) : x, m_y);
    const Tensor y = m_body.forward(x);
    m_backend->add(m_shortcut ? m_shortcut->forward(x) : x, y);
    return y;
}

// Runs the whole backward pass of the shortcut before that of the body, because the parameters of a sharded unit (Unit)
// are gathered for only one of the two at a time.
void Residual::backwardParameters(const Tensor& gradY) {
    m_shortcutGradient = gradY;
    if (m_shortcut) {
        m_shortcut->backwardParameters(gradY);
        m_shortcutGradient = m_shortcut->backwardInput(gradY);
    }
    if (!m_isSkipped) return m_body.backwardParameters(gradY);
    for (const Parameter* one : m_body.parameters()) m_backend->fill(one->gradient, 0);
}

Tensor Residual::backwardInput(const Tensor& gradY) {
    if (m_isSkipped) return copied(m_shortcutGradient, m_gradX);
    const Tensor gradX = m_body.backwardInput(gradY);
    m_backend->add(m_shortcutGradient, gradX);
    return gradX;
}

bool Residual::isUsed(const Parameter& parameter) const {
    if (m_isSkipped && m_body.has(parameter)) return false;
    return m_body.isUsed(parameter) && (!m_shortcut || m_shortcut->isUsed(parameter));
}

}  // namespace ringside
