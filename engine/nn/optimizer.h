// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "nn/layer.h"

namespace ringside {

// Updates parameters from their gradients, as torch.optim does.
class Optimizer {
  public:
    virtual ~Optimizer() = default;
    virtual void step() = 0;
    virtual double learningRate() const = 0;
    virtual void setLearningRate(double lr) = 0;  // from the next step on
};

// The optimizer a configuration names, over parameters that outlive it and have their gradients bound.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const OptimizerConfig& config,
                                                 const std::vector<Parameter*>& parameters, Backend& backend);

}  // namespace ringside
