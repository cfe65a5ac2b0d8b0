// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "nn/layer.h"

namespace ringside {

// What is kept from step to step for one parameter, in its shape and under torch.optim's name: "momentum_buffer",
// "exp_avg", "exp_avg_sq".
struct OptimizerTensor {
    std::size_t parameter = 0;
    const char* name = "";
    Tensor value;
};

// Updates parameters from their gradients, as torch.optim does.
class Optimizer {
  public:
    virtual ~Optimizer() = default;
    void step() {
        prepare();
        update();
        count();
    }
    // The three parts of a step. Only update() may be part of a recorded step, which runs without our knowing.
    virtual void prepare() = 0;  // tells the device what this step depends on besides tensors
    virtual void update() = 0;   // enqueues it
    virtual void count() = 0;    // one more step is enqueued
    virtual double learningRate() const = 0;
    virtual void setLearningRate(double lr) = 0;  // from the next step on

    // For checkpoints: everything that the next step depends on besides the parameters and their gradients.
    virtual std::vector<OptimizerTensor> state() const = 0;
    virtual std::int64_t steps() const = 0;             // done so far
    virtual void setSteps(std::int64_t steps) = 0;      // as many as state() comes from
    virtual bool countsSteps() const { return false; }  // the update depends on how many there were
};

// The optimizer a configuration names, over parameters that outlive it and have their gradients bound.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const OptimizerConfig& config,
                                                 const std::vector<Parameter*>& parameters, Backend& backend);

}  // namespace ringside
