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

// Dependencies of a Strategy. Each reference and pointer must outlive the strategy. The strategy calls the functions on
// the thread that calls the strategy.
struct StrategyDependencies {
    // model of this rank with its values; for strategies with wholeTensors(), only describes the whole model and holds
    // no values
    Model& model;
    Loss& loss;
    Communicator& communicator;
    Backend& backend;
    const ModelInterface& interface;
    const StrategyPlan& plan;
    // Current phase of this rank; the strategy sets it.
    PhaseTrack& phase;
    std::function<void(const std::string&)> log = {};  // writes a line to the log
    // Called at the end of the phases of a step that end within the strategy, such as kBackward; all ranks may pause
    // here. Not called if steps are recorded as CUDA graphs, within which no rank can pause.
    std::function<void(Phase)> onPhaseEnd = [](Phase) {};
    LayerWatch* watch = nullptr;  // observer of all forward and backward passes on this rank; may be null
    // Called with each local gradient, before it is averaged over the ranks. The first argument is its index in
    // Strategy::localParameters().
    std::function<void(std::size_t, const Tensor&)> onLocalGradient = {};
    // Called when an action of the pipeline schedule starts, after its inputs have arrived. share: duration of the
    // action divided by that of the whole schedule, as planned.
    std::function<void(const PipelineAction&, double share)> onAction = {};
    CollectiveTrace* trace = nullptr;  // records the messages between pipeline stages; null: they are not recorded
};

// Arguments of a step in addition to the batch.
struct StepRequest {
    // signal that rank 0 sends to all ranks in the step (see StepAgreement); ignored on other ranks
    bool signal = false;
    // True on rank 0: the result must contain the gradient norm. If the model is distributed over ranks, which need a
    // collective for the norm, the strategy ignores this request and measures the norm in every 16th step.
    bool gradientNorm = false;
};

// Results of a step on this rank.
struct StepResult {
    SampleLosses losses;  // losses of this rank's batch; valid until the next step
    // signal that rank 0 sent in the step, with the same value on all ranks; empty if the strategy sends no signal
    std::optional<bool> signal;
    // Norm of the averaged gradient before clipping. NaN on all ranks except rank 0; also NaN if the norm was not
    // measured, if the gradient contains NaN, or if the update was skipped (training.precision fp16).
    double gradientNorm = 0;
};

// Distributed execution of training steps: a strategy defines how the ranks divide the work of one optimizer step, and
// how their gradients are combined.
//
// A step consists of forward pass, loss, backward pass, averaging of the gradients, and update of the parameters. With
// training.accumulate_steps above 1, accumulate() processes all micro-batches of a step but the last, which step()
// processes. Evaluation starts with beginEvaluation(), followed by evaluate() for each batch.
//
// All ranks must call synchronise(), accumulate(), step(), launch(), beginEvaluation() and evaluate() equally often and
// in the same order: each of these functions may communicate with the other ranks, depending on the strategy. A
// function throws CommError if another rank fails or does not respond within the communicator's timeout, and
// DeviceError if the device fails or has no memory left. The strategy is unusable afterwards.
//
// Returned references, spans and pointers belong to the strategy. Thread safety: one thread; on a GPU, the thread that
// created the backend.
class Strategy {
  public:
    virtual ~Strategy() = default;
    virtual std::string name() const = 0;

    // Makes the values of all replicas equal, as the constructor of torch.nn.parallel.DistributedDataParallel does: DDP
    // broadcasts the values of rank 0. Other strategies do nothing, because all ranks draw the initial values from the
    // same seed or read the same checkpoint. Must be called once, before training.
    virtual void synchronise() = 0;
    // Runs forward pass, loss and backward pass of a micro-batch, and keeps its gradients until the next step()
    // averages them. May be called only if training.accumulate_steps is above 1. Returns the losses of this rank's
    // samples, valid until the next call. If canRunAhead() is true, returns no losses; results() returns them later.
    virtual SampleLosses accumulate(const Batch& batch) = 0;
    // Runs forward pass, loss and backward pass, averages the gradients over the data-parallel group and updates the
    // parameters. Throws Error if the model has parameters that the step did not use, unless
    // parallel.find_unused_parameters is set.
    virtual StepResult step(const Batch& batch, StepRequest request) = 0;
    // True if launch() may be called before the results of the previous step are read. Equal on all ranks.
    virtual bool canRunAhead() const { return false; }
    // The two halves of step(); may be called only if canRunAhead() is true. launch() enqueues the step on the device.
    // results() blocks until the oldest launched step has finished. It calls `earlier` with the losses of each
    // accumulated micro-batch, and returns the results of the step with the losses of its last batch. Losses are valid
    // until the next call of `earlier` or results(). At most two launched steps may have unread results.
    using EarlierLosses = std::function<void(const SampleLosses&)>;
    virtual void launch(const Batch& /*batch*/, StepRequest /*request*/) { RINGSIDE_ASSERT(canRunAhead()); }
    virtual StepResult results(const EarlierLosses& /*earlier*/) { return {}; }
    // Replaces the buffers of each rank, such as batch norm's running statistics, by those of rank 0. If the model has
    // pipeline stages or shards, uses the buffers of data-parallel rank 0 of the same stage. Must be called before the
    // first evaluate() after a step.
    virtual void beginEvaluation() = 0;
    // Runs the forward pass in evaluation mode, as after torch.nn.Module.eval(), and returns the losses of the batch's
    // samples, valid until the next call. In a pipeline, each rank of the pipeline gets the same losses.
    virtual SampleLosses evaluate(const Batch& batch) = 0;
    virtual double learningRate() const = 0;
    // Sets the learning rate from the next step on. Must be called with the same value on all ranks.
    virtual void setLearningRate(double lr) = 0;
    virtual Optimizer& optimizer() = 0;  // returns the optimizer, whose state is saved in checkpoints

    // Returns the shares of the model's computation and update that the plan assigns to this rank.
    virtual PlannedShares plannedShares() const { return {}; }
    // Returns the number of payload bytes that this rank has sent in all its groups since the start.
    virtual std::int64_t bytesSent() const { return 0; }
    // Returns the data-parallel group: the ranks that hold the same layers and train on different samples, ordered by
    // data-parallel rank.
    virtual Communicator& dataParallelGroup() = 0;
    // Returns access to the tensors of the whole model if no rank holds the whole model; null if
    // StrategyDependencies::model holds all tensors.
    virtual WholeTensorAccess* wholeTensors() { return nullptr; }
    bool isWhole() { return wholeTensors() == nullptr; }  // true if StrategyDependencies::model holds all tensors
    // Returns the parameters of the whole model.
    virtual const std::vector<Parameter*>& wholeParameters() const = 0;
    // Returns the parameters and buffers of the whole model.
    virtual const std::vector<Parameter*>& wholeState() const = 0;
    // localParameters() returns the parameters whose gradients this rank computes. copyValue() and copyGradient() copy
    // the whole value or the whole averaged gradient of one of them to host memory, for inspection on the CPU. They are
    // collective over the ranks that train the same layers. `parameter` is an index in localParameters(); `to` has as
    // many elements as the parameter. The gradient is valid from the end of phase kMoving to the update.
    virtual const std::vector<Parameter*>& localParameters() { return wholeParameters(); }
    virtual void copyValue(std::size_t parameter, std::span<float> to) {
        std::ranges::copy(localParameters()[parameter]->value.floats(), to.begin());
    }
    virtual void copyGradient(std::size_t parameter, std::span<float> to) {
        std::ranges::copy(localParameters()[parameter]->gradient.floats(), to.begin());
    }
};

// Creates the strategy that parallel.strategy and the plan in `dependencies` select, with the settings of training and
// optimizer in the configuration. Collective over all ranks, because strategies create sub-groups of the communicator.
// The configuration must outlive the strategy. Returns a problem if the device or the communicator does not support the
// strategy.
Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyDependencies& dependencies);

}  // namespace ringside
