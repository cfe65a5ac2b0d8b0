// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/leaves.h"
#include "nn/layer/layer.h"

namespace ringside {

// Position of a backward pass among those whose gradients are added in one step.
struct PassPlace {
    TreeTurn turn = {};
    bool inHalves = false;  // true: gradients come in two halves and not in the order of the layers

    bool isLastOfStep() const { return turn.keepAt < 0; }
};

// Rows of a parameter along its first dimension.
struct RowRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// Memory of a stage's values and gradients, and the method by which the data-parallel ranks average the gradients.
//
// Implementations hold all parameters on each rank (WholeParameters) or a shard of each (ShardedParameters).
class ParameterStore {
  public:
    virtual ~ParameterStore() = default;

    // Parameters that the optimizer updates on this rank: each one is a parameter of the stage or this rank's part of
    // it. parameterOf() returns the index of this parameter in the stage.
    virtual const std::vector<Parameter*>& trained() const = 0;
    virtual std::size_t parameterOf(std::size_t trained) const = 0;

    // Draws the initial values of the parameters, which are equal on every rank.
    virtual void initialise(std::int64_t seed) = 0;
    // Called before and after a forward pass of one of the stage's models.
    virtual void beginForward() {}
    virtual void endForward() {}
    // Call beginBackward() and endBackward() before and after a backward pass or each of its halves, and ready() in
    // between when the gradient of a parameter is complete (Model::GradientReady).
    virtual void beginBackward(const PassPlace& place) = 0;
    virtual void ready(std::size_t parameter) = 0;
    virtual void endBackward(bool complete) = 0;
    // Averages the gradients that have not been averaged during the backward pass, and waits for all of them.
    virtual void finish() = 0;
    virtual void updated() {}  // called after the optimizer has changed the values of the parameters
    // Returns to the state between two steps after an exception has interrupted the recording of a step. Handles of
    // recorded collectives are dropped.
    virtual void abandonStep() {}

    // Convert between this rank's part of a tensor and the whole tensor in host memory. Collective over the ranks that
    // train the stage. own: this rank's part of a parameter's value or of one of its optimizer tensors. gather()
    // enlarges `whole` if needed and writes the tensor to its beginning, without allocating other memory of that size.
    virtual void gather(std::size_t parameter, const Tensor& own, std::vector<float>& whole) = 0;
    virtual void scatter(std::size_t parameter, std::span<const float> whole, const Tensor& own) = 0;
    // Return this rank's part of a parameter's value and gradient; an empty tensor if this rank holds no part.
    virtual Tensor own(std::size_t parameter) const = 0;
    virtual Tensor ownGradient(std::size_t parameter) const = 0;
    // Returns the rows of a parameter that own() and ownGradient() contain.
    virtual RowRange ownRows(std::size_t parameter) const = 0;
    // Sets a function that is called with each whole local gradient of a step before it is averaged.
    using OwnGradient = std::function<void(std::size_t parameter, const Tensor& gradient)>;
    virtual void watch(OwnGradient own) = 0;
    // True if this rank holds a part of the parameters that no other rank of its replica holds.
    virtual bool ownsDistinctPart() const = 0;
};

}  // namespace ringside
