// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/update_state.h"
#include "base/errors/result.h"
#include "config/run_config.h"
#include "nn/layer/layer.h"

namespace ringside {

// What is kept from step to step for one parameter, in its shape and under torch.optim's name: "momentum_buffer",
// "exp_avg", "exp_avg_sq".
struct OptimizerTensor {
    std::size_t parameter = 0;
    const char* name = "";
    Tensor value;
};

// Updates parameters from their gradients, as torch.optim does, with clip_grad_norm_ and GradScaler where the rules say
// so. Whether and how is decided on the device, which keeps the UpdateState: the host only reads it.
class Optimizer {
  public:
    // Parameters and backend outlive the optimizer; gradients are bound before the first step.
    Optimizer(const std::vector<Parameter*>& parameters, const UpdateRules& rules, double lr, Backend& backend);
    virtual ~Optimizer() = default;

    void step() {
        update();
        count();
    }
    // The two parts of a step. update() enqueues the same work each time and may be part of a recorded step, which runs
    // without our knowing.
    void update();
    // With the squared norm of all gradients, of which this rank has only some.
    void updateWith(double squaredNorm);
    void count() { ++m_steps; }
    std::int64_t steps() const { return m_steps; }  // so far, with those that were left out

    double learningRate() const { return m_lr; }
    void setLearningRate(double lr);  // from the next step on
    const UpdateRules& rules() const { return m_rules; }
    // The loss' gradient times share, and times the loss scale where there is one; may be recorded.
    void scaleLoss(const Tensor& gradient, float share);

    // For checkpoints: everything that the next step depends on besides the parameters and their gradients.
    virtual std::vector<OptimizerTensor> state() const = 0;
    UpdateState progress() const;                       // waits for the device
    void restore(const UpdateState& progress);          // but for its learning rate
    virtual bool countsSteps() const { return false; }  // the update depends on how many there were

  protected:
    Backend& backend() { return m_backend; }
    const Parameter& parameter(std::size_t i) const { return *m_parameters[i]; }
    const Tensor& progressOnDevice() const { return m_progress; }

  private:
    virtual void updateParameter(std::size_t i) = 0;

    Backend& m_backend;
    std::vector<Parameter*> m_parameters;
    std::vector<Tensor> m_gradients;  // theirs, from the first step on
    UpdateRules m_rules;
    double m_lr;
    std::int64_t m_steps = 0;
    Tensor m_progress;  // the UpdateState
};

// The optimizer a configuration names, over parameters that outlive it. scalesLoss: for float16.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const OptimizerConfig& config,
                                                 const std::vector<Parameter*>& parameters, Backend& backend,
                                                 bool scalesLoss = false);

}  // namespace ringside
