// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "nn/models/loss.h"
#include "nn/models/model.h"
#include "nn/optimizers/optimizer.h"
#include "schedule/schedule.h"
#include "telemetry/steps/collective_trace.h"
#include "telemetry/steps/phase.h"
#include "telemetry/steps/step_trace.h"

namespace ringside {

class Backend;
class Communicator;

// What a strategy works with; all of it, but for tell, outlives the strategy.
struct StrategyParts {
    Model& model;  // whole, or (RankLayout::isWhole) without memory: a description
    Loss& loss;
    Communicator& communicator;
    Backend& backend;
    const ModelTask& task;
    std::int64_t maxBatch;
    PhaseTrack& phase;                                  // told which phase of the step the rank is in
    std::function<void(const std::string&)> tell = {};  // a line for the log
    std::function<void(Phase)> passed = [](Phase) {};   // a phase of a step is over: ranks may be held here, all alike
    LayerWatch* watch = nullptr;                        // of all passes of all models here
    // A gradient as this rank alone has computed it, before it is averaged; by its place in Strategy::trainedHere().
    std::function<void(std::size_t, const Tensor&)> ownGradient = {};
    // Of a pipeline: an action of its schedule begins, all that it needs is here; share: of the schedule's length.
    std::function<void(const PipelineAction&, double share)> acting = {};
    CollectiveTrace* trace = nullptr;  // records the messages between stages; null: no record
};

// A tensor of a checkpoint, whole, in host memory: a parameter's or buffer's value, or what the optimizer keeps of it.
struct WholeTensor {
    const Parameter& of;           // name, shape and type
    const char* kept = "";         // "exp_avg", ...; empty: its value
    std::span<std::byte> bytes{};  // of its shape and type
};
using TensorVisitor = std::function<void(const WholeTensor&)>;

struct StepRequest {
    bool signal = false;        // of rank 0, to be told to all ranks (StepAgreement)
    bool gradientNorm = false;  // wanted on rank 0
};

struct StepResult {
    SampleLosses losses;         // of this rank's batch; valid until the next step
    std::optional<bool> signal;  // rank 0's, the same on every rank; none: nothing in the step carries it
    double gradientNorm = 0;  // of the averaged gradient before clipping on rank 0; NaN elsewhere, unasked or infinite
};

// How one optimizer step is spread over the ranks.
class Strategy {
  public:
    virtual ~Strategy() = default;
    virtual std::string name() const = 0;

    // Makes every replica equal to rank 0's. Once, before training.
    virtual void synchronise() = 0;
    // Forward, loss and backward of a micro-batch whose gradients count in the next step(); no communication. Only when
    // training.accumulate_steps is above 1. The losses are valid until the next call.
    virtual SampleLosses accumulate(const Batch& batch) = 0;
    // Forward, loss, backward, averaged gradients, update.
    virtual StepResult step(const Batch& batch, StepRequest request) = 0;
    // Before evaluate(), on all ranks at once: buffers such as batch norm's running statistics become rank 0's.
    virtual void beginEvaluation() = 0;
    // Forward and per-sample losses only.
    virtual SampleLosses evaluate(const Batch& batch) = 0;
    virtual double learningRate() const = 0;
    virtual void setLearningRate(double lr) = 0;  // from the next step on
    virtual Optimizer& optimizer() = 0;           // its state is in checkpoints

    // Parts of the model's work that this rank does in each step.
    virtual PlannedShares plannedShares() const { return {}; }
    // What this rank has sent so far, in all its groups.
    virtual std::int64_t bytesSent() const { return 0; }
    // Those who train the same layers on other samples, by their place among the readers.
    virtual Communicator& readers() = 0;
    // Whether this rank has all of the model, in the one that it was given.
    virtual bool isWhole() const { return true; }
    // Where no rank has: all of a checkpoint's tensors, one after the other, the model's state first. Every rank calls
    // it at the same time. To read: each is shown whole; to write: the visitor fills in those that it is asked for, and
    // each rank takes its part.
    virtual void readWhole(const TensorVisitor& /*visit*/, bool /*optimizerToo*/) {}
    virtual void writeWhole(const TensorVisitor& /*fill*/) {}
    // Of the whole model, and what the optimizer keeps of each: "exp_avg", ...
    virtual const std::vector<Parameter*>& wholeParameters() const = 0;
    virtual const std::vector<Parameter*>& wholeState() const = 0;  // with buffers
    virtual std::vector<const char*> keptByOptimizer() const { return {}; }
    // For who looks at a step from near: what this rank computes gradients of. Whole values and averaged gradients of
    // it come to host memory; all ranks that train the same layers call these together.
    virtual const std::vector<Parameter*>& trainedHere() { return wholeParameters(); }
    virtual void copyValue(std::size_t parameter, std::span<float> to) {
        std::ranges::copy(trainedHere()[parameter]->value.floats(), to.begin());
    }
    virtual void copyGradient(std::size_t parameter, std::span<float> to) {
        std::ranges::copy(trainedHere()[parameter]->gradient.floats(), to.begin());
    }
};

Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyParts& parts);

}  // namespace ringside
