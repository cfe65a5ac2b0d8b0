// SPDX-License-Identifier: Apache-2.0
#include "nn/adam.h"

namespace ringside {

Adam::Adam(const OptimizerConfig& config, const std::vector<Parameter*>& parameters, Backend& backend)
    : m_backend(backend),
      m_parameters(parameters),
      m_step{.lr = config.lr,
             .beta1 = config.beta1,
             .beta2 = config.beta2,
             .eps = config.eps,
             .weightDecay = config.weightDecay,
             .decoupled = config.kind == "adamw",
             .number = 1} {
    for (const Parameter* parameter : parameters) {
        m_first.push_back(backend.allocate(parameter->shape, DType::kFloat32));
        m_second.push_back(backend.allocate(parameter->shape, DType::kFloat32));
    }
}

void Adam::update() {
    for (std::size_t i = 0; i < m_parameters.size(); ++i)
        m_backend.adam(m_parameters[i]->value, m_parameters[i]->gradient, m_first[i], m_second[i], m_step);
}

std::vector<OptimizerTensor> Adam::state() const {
    std::vector<OptimizerTensor> tensors;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        tensors.push_back({i, "exp_avg", m_first[i]});
        tensors.push_back({i, "exp_avg_sq", m_second[i]});
    }
    return tensors;
}

}  // namespace ringside
