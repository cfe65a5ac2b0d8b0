// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/leaves.h"
#include "nn/layer/layer.h"

namespace ringside {

// Where a backward pass stands among those whose gradients add up to one step's.
struct PassPlace {
    TreeTurn turn = {};
    bool inHalves = false;  // gradients come in two halves, not in the order of the layers

    bool last() const { return turn.keepAt < 0; }
};

// Rows of a parameter, along its first dimension.
struct RowRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// Where a stage's values and gradients live, and how the ranks that train it on other samples average them.
class ParameterStore {
  public:
    virtual ~ParameterStore() = default;

    // What the optimizer updates on this rank: a parameter's part of it, or all; and which of the stage's it is of.
    virtual const std::vector<Parameter*>& trained() const = 0;
    virtual std::size_t parameterOf(std::size_t trained) const = 0;

    // Draws the initial values, the same on every rank.
    virtual void initialise(std::int64_t seed) = 0;
    // Before and after a forward pass of one of the stage's models.
    virtual void beginForward() {}
    virtual void endForward() {}
    // Around a backward pass, or each of its halves; `ready` in between, as Model::GradientReady.
    virtual void beginBackward(const PassPlace& place) = 0;
    virtual void ready(std::size_t parameter) = 0;
    virtual void endBackward(bool complete) = 0;
    // Averages what is left; waits for it.
    virtual void finish() = 0;
    virtual void updated() {}  // values have changed

    // Whole tensors in host memory, of the stage's parameters and of what belongs to them; all ranks that train the
    // stage call these together. `own` is what this rank holds of it: a value, or an optimizer's tensor.
    // What is gathered begins `whole`, which is made as large as it takes; no other memory is taken for it.
    virtual void gather(std::size_t parameter, const Tensor& own, std::vector<float>& whole) = 0;
    virtual void scatter(std::size_t parameter, std::span<const float> whole, const Tensor& own) = 0;
    // What it holds of a parameter's value; empty: nothing.
    virtual Tensor own(std::size_t parameter) const = 0;
    virtual Tensor ownGradient(std::size_t parameter) const = 0;
    // Rows of a parameter that own() and ownGradient() hold.
    virtual RowRange ownRows(std::size_t parameter) const = 0;
    // Told of each whole gradient of a step as this rank alone has it, before it is averaged.
    using OwnGradient = std::function<void(std::size_t parameter, const Tensor& gradient)>;
    virtual void watch(OwnGradient own) = 0;
    // Whether this rank holds a part that no other rank of its replica does.
    virtual bool ownsDistinctPart() const = 0;
};

}  // namespace ringside
