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

void Sgd::step() {
    for (std::size_t i = 0; i < m_parameters.size(); ++i)
        m_backend.sgd(m_parameters[i]->value, m_parameters[i]->gradient, m_momentum[i], m_step);
    m_step.first = false;
}

}  // namespace ringside
