// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/leaves.h"
#include "nn/layer/layer.h"

namespace ringside {

// Position of a backward pass within the step. Determines how its gradients are added to those of the step's other
// passes.
struct PassPosition {
    TreeSumStep sumStep = {};
    bool inHalves = false;  // true: each backward pass consists of two halves, so that gradients are not complete in
                            // the order of the layers

    bool isLastOfStep() const { return sumStep.keepAt < 0; }
};

// Range of rows of a parameter, along its first dimension.
struct RowRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// Memory for the values and gradients of a stage's parameters, and the method by which the data-parallel ranks average
// the gradients.
//
// WholeParameters holds all parameters on each rank; ShardedParameters holds a shard of each parameter.
class ParameterStore {
  public:
    virtual ~ParameterStore() = default;

    // trained() returns the parameters that the optimizer of this rank updates: parameters of the stage, or this rank's
    // shards of them. parameterOf() returns the index of trained()[trained] among the stage's parameters.
    virtual const std::vector<Parameter*>& trained() const = 0;
    virtual std::size_t parameterOf(std::size_t trained) const = 0;

    // Draws the initial values of the parameters, which are equal on every rank.
    virtual void initialise(std::int64_t seed) = 0;
    // Called before and after each forward pass through the stage, to gather parameters and to free them.
    virtual void beginForward() {}
    virtual void endForward() {}
    // Called for each backward pass, or for each of its halves: beginBackward() before it, ready() when the gradient of
    // a parameter is complete (Model::GradientReady), endBackward() after it. complete: false if gradients are still
    // missing, as after the first of two halves.
    virtual void beginBackward(const PassPosition& pass) = 0;
    virtual void ready(std::size_t parameter) = 0;
    virtual void endBackward(bool complete) = 0;
    // Averages all gradients of the step that have not been averaged yet, and waits for all collectives.
    virtual void finish() = 0;
    virtual void updated() {}  // called after the optimizer has changed the values of the parameters
    // Resets the state to that between two steps after an exception has interrupted the recording of a step as a CUDA
    // graph. Does not wait for recorded collectives.
    virtual void abandonStep() {}

    // Both functions convert between this rank's part of a tensor (`own`) and the whole tensor in host memory
    // (`whole`). The tensor is the value of a parameter or one of its optimizer tensors. gather() writes the whole
    // tensor to the beginning of `whole` and enlarges `whole` if needed. Collective over the ranks that hold the same
    // stage.
    virtual void gather(std::size_t parameter, const Tensor& own, std::vector<float>& whole) = 0;
    virtual void scatter(std::size_t parameter, std::span<const float> whole, const Tensor& own) = 0;
    // Return this rank's part of the value and of the gradient of a parameter; an empty tensor if this rank holds no
    // part.
    virtual Tensor localValue(std::size_t parameter) const = 0;
    virtual Tensor localGradient(std::size_t parameter) const = 0;
    // Returns the range of rows of the parameter that localValue() and localGradient() return.
    virtual RowRange localRows(std::size_t parameter) const = 0;
    // Function that is called with each local gradient before it is averaged. The gradient has the shape of the whole
    // parameter.
    using OwnGradient = std::function<void(std::size_t parameter, const Tensor& gradient)>;
    virtual void watch(OwnGradient own) = 0;
    // True if each rank of a replica holds different parts of the parameters; false if each rank holds all of them.
    virtual bool ownsDistinctPart() const = 0;
};

}  // namespace ringside
