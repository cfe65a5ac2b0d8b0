// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer/layer.h"

namespace ringside {

// torch.nn.BatchNorm2d(channels): weight of ones, then bias of zeros; draws no numbers. Each rank normalises by its own
// batch, as under DistributedDataParallel.
class BatchNorm2d final : public Layer {
  public:
    BatchNorm2d(std::int64_t channels, const std::string& prefix, ImageLayout layout = ImageLayout::kChannelsLast);

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override;
    std::vector<Parameter*> parameters() override { return {&m_weight, &m_bias}; }
    std::vector<Parameter*> buffers() override { return {&m_runningMean, &m_runningVariance, &m_batches}; }
    void initialise(TorchGenerator& generator, Backend& backend) override;
    void begin(const Pass& pass) override {
        m_training = pass.training;
        m_again = pass.isRepeated;
    }
    Tensor forward(const Tensor& x) override;
    void backwardParameters(const Tensor& gradY) override;
    Tensor backwardInput(const Tensor& gradY) override;
    bool splitsBackward() const override { return false; }

  private:
    // Returns a view of x in this layer's image layout, regardless of the layout in which the previous layer made x.
    Tensor asImages(const Tensor& x) const;

    ImageLayout m_layout;
    Parameter m_weight;
    Parameter m_bias;
    Parameter m_runningMean;
    Parameter m_runningVariance;
    // number of training batches that this layer has processed; num_batches_tracked of torch.nn.BatchNorm2d
    Parameter m_batches;
    bool m_training = true;
    bool m_again = false;
    Backend* m_backend = nullptr;
    Tensor m_x;  // input of the last forward pass, in the previous layer's memory
    Tensor m_y;
    Tensor m_moments;
    Tensor m_unused;  // running statistics of a repeated pass, which are discarded
    // gradient of the weight for this rank's batch, which backwardInput() needs; a separate copy, because the
    // parameter's gradient may have been averaged over the ranks before backwardInput() is called
    Tensor m_gradWeight;
    Tensor m_gradBias;
    Tensor m_gradX;
};

}  // namespace ringside
