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
    Tensor value;     // bound by the model or the strategy, which decides where values live; read at each call
    Tensor gradient;  // bound by the strategy
    DType type = DType::kFloat32;
};

// What a forward pass is for, as torch.nn.Module.train() and eval().
struct Pass {
    bool training = true;   // batch norm takes the batch's statistics, dropout drops
    std::uint64_t key = 0;  // dropout's masks are drawn from it: another one for each pass, rank and seed
    bool again = false;     // the same forward pass once more, whose statistics have been counted
};

// One layer of a model. The plan has checked its shapes (plan/built_layers.h).
//
// Shapes below are of one sample: images (C, H, W), sequences (positions, values), otherwise (values). Tensors have the
// batch in front: images (B, H, W, C), sequences (B * positions, values). The layer owns the tensors that it returns
// and overwrites them in the next call.
class Layer {
  public:
    virtual ~Layer() = default;

    // Allocates memory for batches of up to maxBatch samples of the shape `input`, which is the one of the layer's
    // description. Called once, before everything below.
    virtual void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) = 0;

    virtual std::vector<Parameter*> parameters() { return {}; }  // in registration order
    // PyTorch's default initialisation of the values bound, drawing from the generator exactly what the PyTorch module
    // draws. Also without prepare().
    virtual void initialise(TorchGenerator&, Backend&) {}

    // Saved with the parameters under their PyTorch names, but not trained: their gradients stay empty. May hold
    // kInt64.
    virtual std::vector<Parameter*> buffers() { return {}; }

    virtual void begin(const Pass&) {}  // before forward(); without it, a pass is for training
    virtual Tensor forward(const Tensor& x) = 0;
    // Two halves, so that parameter gradients are ready for the all-reduce before the way back goes on.
    virtual void backwardParameters(const Tensor& /*gradY*/) {}
    virtual Tensor backwardInput(const Tensor& gradY) = 0;
    // Whether the halves may come in the other order, with other passes' between them: neither needs the other's
    // result.
    virtual bool splitsBackward() const { return true; }
    // Whether the last forward pass used it; if not, its gradient is zeros.
    virtual bool isUsed(const Parameter&) const { return true; }
    virtual bool isBlock() const { return false; }  // a residual block, which is computed again as one
};

// Gives a parameter or a buffer a value of its own.
void bindValue(Parameter& parameter, Backend& backend);

// A tensor's shape for batches of samples of this shape: images get their channels last, or in blocks before and behind
// their pixels, (B, blocks, H * W, kChannelBlock); the positions of a sequence are rows.
inline Shape batchShape(const Shape& sample, std::int64_t batch, ImageLayout layout = ImageLayout::kChannelsLast) {
    if (sample.dimensions() == 3 && layout == ImageLayout::kChannelBlocks)
        return {batch, sample[0] / kChannelBlock, sample[1] * sample[2], kChannelBlock};
    if (sample.dimensions() == 3) return {batch, sample[1], sample[2], sample[0]};
    if (sample.dimensions() == 2) return {batch * sample[0], sample[1]};
    return {batch, sample.count()};
}

}  // namespace ringside
