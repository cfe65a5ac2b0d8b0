// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "nn/optimizer.h"

namespace ringside {

// torch.optim.Adam, and AdamW when the configuration says adamw.
class Adam final : public Optimizer {
  public:
    Adam(const OptimizerConfig& config, const std::vector<Parameter*>& parameters, Backend& backend);

    void prepare() override { m_backend.prepareAdam(m_step); }
    void update() override;
    void count() override { ++m_step.number; }
    double learningRate() const override { return m_step.lr; }
    void setLearningRate(double lr) override { m_step.lr = lr; }
    std::vector<OptimizerTensor> state() const override;
    std::int64_t steps() const override { return m_step.number - 1; }
    void setSteps(std::int64_t steps) override { m_step.number = steps + 1; }
    bool countsSteps() const override { return true; }

  private:
    Backend& m_backend;
    std::vector<Parameter*> m_parameters;
    std::vector<Tensor> m_first;   // running means of the gradients
    std::vector<Tensor> m_second;  // and of their squares
    AdamStep m_step;
};

}  // namespace ringside
