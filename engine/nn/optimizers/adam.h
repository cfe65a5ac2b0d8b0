// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "nn/optimizers/optimizer.h"

namespace ringside {

// torch.optim.Adam, or AdamW if the configuration selects adamw.
class Adam final : public Optimizer {
  public:
    Adam(const OptimizerConfig& config, const UpdateRules& rules, const std::vector<Parameter*>& parameters,
         Backend& backend);

    std::vector<OptimizerTensor> state() const override;
    bool dependsOnUpdateCount() const override { return true; }

  private:
    void updateAll() override;

    std::vector<Tensor> m_first;         // running means of the gradients
    std::vector<Tensor> m_second;        // running means of the squared gradients
    std::vector<AdamTensors> m_updated;  // tensors of each parameter in the latest update
    AdamRule m_rule;
};

}  // namespace ringside
