// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/errors/errors.h"
#include "base/errors/result.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "nn/models/loss.h"
#include "nn/models/model.h"
#include "nn/optimizers/optimizer.h"
#include "parallel/strategy/whole_tensor_access.h"
#include "plan/strategy_plan.h"
#include "schedule/schedule.h"
#include "telemetry/steps/collective_trace.h"
#include "telemetry/steps/phase.h"
#include "telemetry/steps/step_trace.h"

namespace ringside {

class Backend;
class Communicator;

// Dependencies of a Strategy. Each reference and pointer must outlive the strategy.
struct StrategyDependencies {
    Model& model;  // model with its values; for strategies with wholeTensors(), a description without memory
    Loss& loss;
    Communicator& communicator;
    Backend& backend;
    const ModelInterface& interface;
    const StrategyPlan& plan;
    // Shows in which phase of the step this rank is; the strategy sets it.
    PhaseTrack& phase;
    std::function<void(const std::string&)> log = {};      // writes a line to the log
    std::function<void(Phase)> onPhaseEnd = [](Phase) {};  // called at the end of each phase; all ranks may pause here
    LayerWatch* watch = nullptr;  // observer of all passes of all models on this rank; may be null
    // Called with each local gradient, before it is averaged over the ranks, and its index in
    // Strategy::localParameters().
    std::function<void(std::size_t, const Tensor&)> ownGradient = {};
    // Called when an action of a pipeline's schedule starts, after its inputs have arrived. share: the action's share
    // of the schedule's length.
    std::function<void(const PipelineAction&, double share)> onAction = {};
    CollectiveTrace* trace = nullptr;  // trace of the messages between stages; null: they are not recorded
};

// Arguments of a step in addition to the batch.
struct StepRequest {
    bool signal = false;        // signal of rank 0, to be sent to all ranks (StepAgreement)
    bool gradientNorm = false;  // true on rank 0 to request the gradient norm
};

// Results of a step on this rank.
struct StepResult {
    SampleLosses losses;         // losses of this rank's batch; valid until the next step
    std::optional<bool> signal;  // signal of rank 0, the same on each rank; empty if the strategy does not transmit it
    // norm of the averaged gradient before clipping, on rank 0; NaN on other ranks, if not requested, or if infinite
    double gradientNorm = 0;
};

// Distributed execution of training steps: a strategy defines how the work of one optimizer step is divided among the
// ranks, and how their gradients are combined.
//
// A step is forward pass, loss, backward pass, averaging of the gradients, and update. With training.accumulate_steps
// above 1, accumulate() processes the first micro-batches of a step and step() the last. Evaluation starts with
// beginEvaluation(), followed by evaluate() for each batch.
//
// All ranks must call the collective functions (synchronise(), step(), beginEvaluation(), and functions marked below)
// in the same order. A call throws CommError if another rank fails. Thread safety: one thread at a time.
class Strategy {
  public:
    virtual ~Strategy() = default;
    virtual std::string name() const = 0;

    // Makes the values of every replica equal to those of rank 0. Collective; called once, before training.
    virtual void synchronise() = 0;
    // Runs forward pass, loss and backward pass of a micro-batch and adds its gradients to the gradients that the next
    // step() averages. Only if training.accumulate_steps is above 1. The losses are valid until the next call; with
    // canRunAhead() they are empty and come with results().
    virtual SampleLosses accumulate(const Batch& batch) = 0;
    // Runs forward pass, loss and backward pass, averages the gradients over the ranks and updates the parameters.
    virtual StepResult step(const Batch& batch, StepRequest request) = 0;
    // True if a step can be launched before the results of the previous step are read. The same on all ranks.
    virtual bool canRunAhead() const { return false; }
    // The two parts of step(), only if canRunAhead(). launch() enqueues the step on the device. results() blocks until
    // the oldest launched step has finished, calls `earlier` with the losses of each accumulated micro-batch, and
    // returns the results of the step with the losses of its last batch. Losses are valid until the next call of
    // `earlier` or results(). At most two steps may be launched at a time.
    using EarlierLosses = std::function<void(const SampleLosses&)>;
    virtual void launch(const Batch& /*batch*/, StepRequest /*request*/) { RINGSIDE_ASSERT(canRunAhead()); }
    virtual StepResult results(const EarlierLosses& /*earlier*/) { return {}; }
    // Replaces buffers, such as batch norm's running statistics, by those of rank 0 (with a mesh: by those of the first
    // data-parallel rank). Collective; called before evaluate().
    virtual void beginEvaluation() = 0;
    // Runs the forward pass without training and returns the losses of the batch's samples.
    virtual SampleLosses evaluate(const Batch& batch) = 0;
    virtual double learningRate() const = 0;
    virtual void setLearningRate(double lr) = 0;  // sets the learning rate from the next step on
    virtual Optimizer& optimizer() = 0;           // returns the optimizer, whose state is saved in checkpoints

    // Returns the shares of the model's work that this rank does in each step.
    virtual PlannedShares plannedShares() const { return {}; }
    // Returns the payload that this rank has sent until now in all its groups, in bytes.
    virtual std::int64_t bytesSent() const { return 0; }
    // Returns the data-parallel group: the ranks that hold the same layers and train on different samples, ordered by
    // data-parallel rank.
    virtual Communicator& dataParallelGroup() = 0;
    // Returns the access to the tensors of a model that no rank holds as a whole; null if this rank holds the whole
    // model, in StrategyDependencies::model.
    virtual WholeTensorAccess* wholeTensors() { return nullptr; }
    bool isWhole() { return wholeTensors() == nullptr; }
    // Returns the parameters of the whole model.
    virtual const std::vector<Parameter*>& wholeParameters() const = 0;
    // Returns the parameters and buffers of the whole model.
    virtual const std::vector<Parameter*>& wholeState() const = 0;
    // Parameters whose gradients this rank computes. copyValue() and copyGradient() copy a whole value or averaged
    // gradient to host memory. Used for inspection only. Collective over all ranks that train the same layers.
    virtual const std::vector<Parameter*>& localParameters() { return wholeParameters(); }
    virtual void copyValue(std::size_t parameter, std::span<float> to) {
        std::ranges::copy(localParameters()[parameter]->value.floats(), to.begin());
    }
    virtual void copyGradient(std::size_t parameter, std::span<float> to) {
        std::ranges::copy(localParameters()[parameter]->gradient.floats(), to.begin());
    }
};

// Makes the strategy of the plan, with the settings of training and optimizer from the configuration, which must
// outlive the strategy. Returns a problem if the device or the communicator does not support the strategy.
Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyDependencies& parts);

}  // namespace ringside
