// SPDX-License-Identifier: Apache-2.0
#include "nn/optimizers/adam.h"

namespace ringside {
namespace {

UpdateRules withCorrections(UpdateRules rules, const OptimizerConfig& config) {
    rules.beta1 = config.beta1;
    rules.beta2 = config.beta2;
    if (config.kind == OptimizerKind::kAdamW) rules.decoupledDecay = config.weightDecay;
    return rules;
}

}  // namespace

Adam::Adam(const OptimizerConfig& config, const UpdateRules& rules, const std::vector<Parameter*>& parameters,
           Backend& backend)
    : Optimizer(parameters, withCorrections(rules, config), config.lr, backend),
      m_rule{.beta1 = config.beta1,
             .beta2 = config.beta2,
             .eps = config.eps,
             .weightDecay = config.weightDecay,
             .decoupled = config.kind == OptimizerKind::kAdamW} {
    for (const Parameter* parameter : parameters) {
        m_first.push_back(backend.allocate(parameter->shape, DType::kFloat32));
        m_second.push_back(backend.allocate(parameter->shape, DType::kFloat32));
    }
}

void Adam::updateAll() {
    m_updated.clear();
    for (std::size_t i = 0; i < parameterCount(); ++i)
        m_updated.push_back({parameter(i).value, parameter(i).gradient, m_first[i], m_second[i]});
    backend().adamAll(m_updated, m_rule, progressOnDevice());
}

std::vector<OptimizerTensor> Adam::state() const {
    std::vector<OptimizerTensor> tensors;
    for (std::size_t i = 0; i < m_first.size(); ++i) {
        tensors.push_back({i, "exp_avg", m_first[i]});
        tensors.push_back({i, "exp_avg_sq", m_second[i]});
    }
    return tensors;
}

}  // namespace ringside
