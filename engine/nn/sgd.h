// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "nn/optimizer.h"

namespace ringside {

// torch.optim.SGD with momentum, dampening, weight decay and nesterov.
class Sgd final : public Optimizer {
  public:
    Sgd(const OptimizerConfig& config, const std::vector<Parameter*>& parameters, Backend& backend);

    void prepare() override { m_backend.prepareSgd(m_step); }
    void update() override;
    void count() override { setSteps(m_steps + 1); }
    double learningRate() const override { return m_step.lr; }
    void setLearningRate(double lr) override { m_step.lr = lr; }
    std::vector<OptimizerTensor> state() const override;
    std::int64_t steps() const override { return m_steps; }
    void setSteps(std::int64_t steps) override;

  private:
    Backend& m_backend;
    std::vector<Parameter*> m_parameters;
    std::vector<Tensor> m_momentum;  // empty tensors without momentum
    SgdStep m_step;
    std::int64_t m_steps = 0;
};

}  // namespace ringside
