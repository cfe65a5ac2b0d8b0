// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/result_slot.h"
#include "backend/update_state.h"
#include "base/errors/result.h"
#include "config/run_config.h"
#include "nn/layer/layer.h"

namespace ringside {

class ReductionKernels;

// Optimizer state of one parameter, with the parameter's shape and torch.optim's name: "momentum_buffer", "exp_avg",
// "exp_avg_sq".
struct OptimizerTensor {
    std::size_t parameter = 0;
    const char* name = "";
    Tensor value;
};

// Updates parameters from their gradients, as torch.optim does, with clip_grad_norm_ and GradScaler if UpdateRules
// selects them. The UpdateState is stored on the device, and update() decides on each update there without waiting for
// the device, so that a step can be recorded.
class Optimizer {
  public:
    // parameters and backend must outlive the optimizer. Gradients must be bound before the first step.
    Optimizer(const std::vector<Parameter*>& parameters, const UpdateRules& rules, double lr, Backend& backend);
    virtual ~Optimizer() = default;

    void step() {
        update();
        count();
    }
    // A step consists of update() and count(). update() enqueues the same work each time, so that it can be part of a
    // recorded step, whose replay does not call update(). count() must be called in every step.
    void update();
    // Update with the squared norm of all gradients of the model, for a rank that holds only some of these gradients.
    // updateFrom() reads the squared norm from the device's memory as the sum of `squares`
    // (ReductionKernels::decideUpdate()).
    void updateWith(double squaredNorm);
    void updateFrom(const Tensor& squares, ReductionKernels& kernels);
    void count() { ++m_steps; }
    std::int64_t steps() const { return m_steps; }  // returns the number of steps, including skipped ones

    double learningRate() const { return m_lr; }
    void setLearningRate(double lr);  // sets the learning rate from the next step on
    const UpdateRules& rules() const { return m_rules; }
    // Multiplies the gradient of the loss by `share`, the weight of the micro-batch in the step's mean gradient, and by
    // the loss scale, if there is one. Can be part of a recorded step.
    void scaleLoss(const Tensor& gradient, float share);

    // Tensors of the optimizer that checkpoints contain. The next step depends only on these tensors, progress(), the
    // parameters and the gradients.
    virtual std::vector<OptimizerTensor> state() const = 0;
    UpdateState progress() const;  // returns the state after the last step; blocks until the device has finished
    // storeProgress() enqueues a copy of progress() into a slot (page-locked memory); readProgress() reads the copy
    // from the slot.
    void storeProgress(ResultSlot& slot) const { slot.add(m_progress); }
    static UpdateState readProgress(ResultSlot& slot) { return slot.nextValues<UpdateState>().front(); }
    void restore(const UpdateState& progress);  // restores everything except the learning rate
    // Returns true if an update depends on the number of earlier updates, as Adam's bias correction does.
    virtual bool dependsOnUpdateCount() const { return false; }

  protected:
    Backend& backend() { return m_backend; }
    std::size_t parameterCount() const { return m_parameters.size(); }
    const Parameter& parameter(std::size_t i) const { return *m_parameters[i]; }
    const Tensor& progressOnDevice() const { return m_progress; }

  private:
    virtual void updateAll() = 0;  // enqueues the update of all parameters; the state on the device decides whether the
                                   // step is skipped

    Backend& m_backend;
    std::vector<Parameter*> m_parameters;
    std::vector<Tensor> m_gradients;  // gradients of m_parameters, set in the first step
    UpdateRules m_rules;
    double m_lr;
    std::int64_t m_steps = 0;
    Tensor m_progress;  // progress() of this optimizer, stored on the device
};

// Makes the optimizer that a configuration selects. parameters must outlive the optimizer. scalesLoss: true to scale
// the loss, which float16 needs.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const OptimizerConfig& config,
                                                 const std::vector<Parameter*>& parameters, Backend& backend,
                                                 bool scalesLoss = false);

}  // namespace ringside
