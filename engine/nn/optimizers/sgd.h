// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "nn/optimizers/optimizer.h"

namespace ringside {

// torch.optim.SGD with momentum, dampening, weight decay and nesterov.
class Sgd final : public Optimizer {
  public:
    Sgd(const OptimizerConfig& config, const UpdateRules& rules, const std::vector<Parameter*>& parameters,
        Backend& backend);

    std::vector<OptimizerTensor> state() const override;

  private:
    void updateAll() override;

    std::vector<Tensor> m_momentum;     // momentum of each parameter; empty tensors if momentum is 0
    std::vector<SgdTensors> m_updated;  // tensors of each parameter in the latest update
    SgdRule m_rule;
};

}  // namespace ringside
