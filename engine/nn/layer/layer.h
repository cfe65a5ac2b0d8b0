// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/convolution.h"
#include "nn/layer/layer_memory.h"
#include "sampling/random/torch_random.h"
#include "tensor/tensor.h"

namespace ringside {

class Backend;

// A trained tensor: its PyTorch name ("0.weight") and layout, its value and the gradient of the last backward pass.
struct Parameter {
    std::string name;
    Shape shape;
    Tensor value;     // memory of the parameter; the model or the strategy owns it and sets this member; layers read
                      // the member at each call
    Tensor gradient;  // memory of the gradient, bound by the strategy
    DType type = DType::kFloat32;
};

// Properties of a forward pass.
struct Pass {
    // as torch.nn.Module.training. true: batch norm uses the batch's statistics, and dropout is active
    bool training = true;
    std::uint64_t key = 0;  // seed of dropout's masks; differs between passes, ranks and values of training.seed
    // true if this pass only repeats a forward pass, which has already updated batch norm's running statistics
    bool isRepeated = false;
};

// One layer of a model. Its shapes have been checked when the list of layers was made (plan/built_layers.h).
//
// Shapes below are those of one sample: images (C, H, W), sequences (positions, values), all others (values). Tensors
// have the batch as first dimension: images (B, H, W, C), sequences (B * positions, values). The layer owns the tensors
// that it returns and overwrites them in the next call.
class Layer {
  public:
    virtual ~Layer() = default;

    // Allocates memory for batches of up to maxBatch samples. input: shape of a sample, as in the layer's description.
    // Called once, before the functions below.
    virtual void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) = 0;

    virtual std::vector<Parameter*> parameters() { return {}; }  // returns the parameters in registration order
    // Initialises the bound values as PyTorch does by default. Draws the same numbers from the generator as the PyTorch
    // module. May be called before or without prepare().
    virtual void initialise(TorchGenerator&, Backend&) {}

    // Tensors that are saved with the parameters under their PyTorch names, but not trained: their gradients stay
    // empty. The type may be kInt64.
    virtual std::vector<Parameter*> buffers() { return {}; }

    virtual void begin(const Pass&) {}  // sets the properties of the following forward passes; without a call, they are
                                        // passes of training
    virtual Tensor forward(const Tensor& x) = 0;
    // The backward pass consists of two halves: backwardParameters() computes the parameters' gradients first, so that
    // their all-reduce can start before backwardInput() computes the gradient with respect to the input.
    virtual void backwardParameters(const Tensor& /*gradY*/) {}
    virtual Tensor backwardInput(const Tensor& gradY) = 0;
    // True if backwardParameters() and backwardInput() can be called in either order, with halves of other backward
    // passes in between, because neither needs a result of the other.
    virtual bool splitsBackward() const { return true; }
    // True if the last forward pass used the parameter. If not, its gradient is zero.
    virtual bool isUsed(const Parameter&) const { return true; }
    virtual bool isBlock() const { return false; }  // returns true for a residual block, which is recomputed as a whole
};

// Allocates memory for the value of a parameter or a buffer.
void bindValue(Parameter& parameter, Backend& backend);

// Returns the shape of a tensor of `batch` samples of the shape `sample`. Images have their channels last, (B, H, W,
// C), or in blocks, (B, blocks, H * W, kChannelBlock); each position of a sequence is one row.
inline Shape batchShape(const Shape& sample, std::int64_t batch, ImageLayout layout = ImageLayout::kChannelsLast) {
    if (sample.dimensions() == 3 && layout == ImageLayout::kChannelBlocks)
        return {batch, sample[0] / kChannelBlock, sample[1] * sample[2], kChannelBlock};
    if (sample.dimensions() == 3) return {batch, sample[1], sample[2], sample[0]};
    if (sample.dimensions() == 2) return {batch * sample[0], sample[1]};
    return {batch, sample.count()};
}

}  // namespace ringside
