// SPDX-License-Identifier: Apache-2.0
#include "nn/sgd.h"

namespace ringside {

Sgd::Sgd(const OptimizerConfig& config, const std::vector<Parameter*>& parameters, Backend& backend)
    : m_backend(backend), m_parameters(parameters), m_momentum(parameters.size()), m_step{config.lr,
                                                                                          config.momentum,
                                                                                          config.dampening,
                                                                                          config.weightDecay,
                                                                                          config.nesterov,
                                                                                          true} {
    if (config.momentum == 0) return;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        m_momentum[i] = backend.allocate(parameters[i]->shape, DType::kFloat32);
}

void Sgd::update() {
    for (std::size_t i = 0; i < m_parameters.size(); ++i)
        m_backend.sgd(m_parameters[i]->value, m_parameters[i]->gradient, m_momentum[i], m_step);
}

void Sgd::setSteps(std::int64_t steps) {
    m_steps = steps;
    m_step.first = steps == 0;
}

std::vector<OptimizerTensor> Sgd::state() const {
    std::vector<OptimizerTensor> tensors;
    for (std::size_t i = 0; i < m_momentum.size(); ++i)
        if (m_momentum[i]) tensors.push_back({i, "momentum_buffer", m_momentum[i]});
    return tensors;
}

}  // namespace ringside
