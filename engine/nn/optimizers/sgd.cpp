// SPDX-License-Identifier: Apache-2.0
#include "nn/optimizers/sgd.h"

namespace ringside {

Sgd::Sgd(const OptimizerConfig& config, const UpdateRules& rules, const std::vector<Parameter*>& parameters,
         Backend& backend)
    : Optimizer(parameters, rules, config.lr, backend),
      m_momentum(parameters.size()),
      m_rule{config.momentum, config.dampening, config.weightDecay, config.nesterov} {
    if (config.momentum == 0) return;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        m_momentum[i] = backend.allocate(parameters[i]->shape, DType::kFloat32);
}

void Sgd::updateAll() {
    m_updated.clear();
    for (std::size_t i = 0; i < parameterCount(); ++i)
        m_updated.push_back({parameter(i).value, parameter(i).gradient, m_momentum[i]});
    backend().sgdAll(m_updated, m_rule, progressOnDevice());
}

std::vector<OptimizerTensor> Sgd::state() const {
    std::vector<OptimizerTensor> tensors;
    for (std::size_t i = 0; i < m_momentum.size(); ++i)
        if (m_momentum[i]) tensors.push_back({i, "momentum_buffer", m_momentum[i]});
    return tensors;
}

}  // namespace ringside
