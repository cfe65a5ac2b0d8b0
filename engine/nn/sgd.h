// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "nn/optimizer.h"

namespace ringside {

// torch.optim.SGD with momentum, dampening, weight decay and nesterov.
class Sgd final : public Optimizer {
  public:
    Sgd(const OptimizerConfig& config, const std::vector<Parameter*>& parameters, Backend& backend);

    void step() override;
    double learningRate() const override { return m_step.lr; }
    void setLearningRate(double lr) override { m_step.lr = lr; }

  private:
    Backend& m_backend;
    std::vector<Parameter*> m_parameters;
    std::vector<Tensor> m_momentum;  // empty tensors without momentum
    SgdStep m_step;
};

}  // namespace ringside
