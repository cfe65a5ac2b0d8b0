// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kernels/batch_norm.h"
#include "backend/cpu/support/scratchpad.h"

namespace ringside {

// Backend on the CPU: matrix products and convolutions by oneDNN, other operations by vectorised loops. Operations run
// on the calling thread (and on OpenMP threads if threads > 1) and are complete when the call returns.
class CpuBackend final : public Backend {
  public:
    CpuBackend(int threads, bool winograd, HostMemory& memory);

    std::string name() const override;
    std::string instructionSet() const override;
    Device device() const override { return {}; }
    std::unique_ptr<Backend> makePeer(int number, int devices) override;
    void copyFromPeer(const Tensor& from, const Tensor& to) override { copy(from, to); }
    Tensor allocate(const Shape& shape, DType type) override;
    void upload(const void* from, const Tensor& to) override;
    void download(const Tensor& from, void* to) override;
    void synchronize() override {}
    void fill(const Tensor& tensor, float value) override;
    void copy(const Tensor& from, const Tensor& to) override;
    void scale(const Tensor& tensor, float factor) override;
    double squaredNorm(const Tensor& tensor) override;
    void squaresOfRows(const Tensor& tensor, std::span<double> squares) override;
    void add(const Tensor& from, const Tensor& to) override;
    void countUp(const Tensor& counter) override { ++counter.integers().front(); }
    void linearForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) override;
    void linearBackwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                  const Tensor& gradBias) override;
    void linearBackwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) override;
    void reluForward(const Tensor& x, const Tensor& y) override;
    void reluBackward(const Tensor& y, const Tensor& gradY, const Tensor& gradX) override;
    void softmaxCrossEntropy(const Tensor& logits, const Tensor& labels, const Tensor& rowLoss,
                             const Tensor& rowCorrect, const Tensor& gradient) override;
    void meanSquaredError(const Tensor& prediction, const Tensor& target, const Tensor& rowLoss,
                          const Tensor& gradient) override;
    void argmax(const Tensor& values, const Tensor& indices) override;
    void scaleLoss(const Tensor& gradient, float share, const Tensor& state) override;
    void decideUpdate(std::span<const Tensor> gradients, const UpdateRules& rules, const Tensor& state) override;
    void sgd(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum, const SgdRule& rule,
             const Tensor& state) override;
    void adam(const Tensor& parameter, const Tensor& gradient, const Tensor& firstMoment, const Tensor& secondMoment,
              const AdamRule& rule, const Tensor& state) override;
    bool prefersChannelBlocks(std::span<const ConvolutionSpec> convolutions) const override;
    std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec) override;
    void maxPoolForward(const Tensor& x, const Tensor& y, const Tensor& winners, const MaxPoolSpec& spec) override;
    void maxPoolBackward(const Tensor& gradY, const Tensor& winners, const Tensor& gradX,
                         const MaxPoolSpec& spec) override;
    void transposeSamples(const Tensor& x, const Tensor& y, std::int64_t rows, std::int64_t columns) override;
    void geluForward(const Tensor& x, const Tensor& y) override;
    void geluBackward(const Tensor& x, const Tensor& gradY, const Tensor& gradX) override;
    void layerNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
                          const Tensor& moments) override;
    void layerNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                     const Tensor& gradWeight, const Tensor& gradBias) override;
    void layerNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight, const Tensor& gradY,
                                const Tensor& gradX) override;
    void batchNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                          const Tensor& runningVariance, const Tensor& y, const Tensor& moments) override;
    void batchNormEvaluate(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                           const Tensor& runningVariance, const Tensor& y) override;
    void batchNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                     const Tensor& gradWeight, const Tensor& gradBias) override;
    void batchNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight, const Tensor& gradWeight,
                                const Tensor& gradBias, const Tensor& gradY, const Tensor& gradX) override;
    void averagePoolForward(const Tensor& x, const Tensor& y) override;
    void averagePoolBackward(const Tensor& gradY, const Tensor& gradX) override;
    void dropout(const Tensor& x, const Tensor& y, const Tensor& key, double probability) override;
    void embeddingForward(const Tensor& tokens, const Tensor& table, const Tensor& y) override;
    void embeddingBackward(const Tensor& tokens, const Tensor& gradY, const Tensor& gradTable) override;
    void addPositions(const Tensor& x, const Tensor& table, const Tensor& y) override;
    void positionGradient(const Tensor& gradY, const Tensor& gradTable) override;
    AttentionMemory attentionMemory(const AttentionSpec& spec) const override;
    void attentionForward(const Tensor& qkv, const Tensor& kept, const Tensor& y, const AttentionSpec& spec) override;
    void attentionBackward(const Tensor& qkv, const Tensor& kept, const Tensor& gradY, const Tensor& scratch,
                           const Tensor& gradQkv, const AttentionSpec& spec) override;

  private:
    int m_threads;
    bool m_winograd;
    cpu::BatchNorm m_batchNorm;
    std::size_t m_allocated = 0;  // total size of all tensors, in bytes
    HostMemory& m_hostMemory;
    std::vector<HostBlock> m_memory;
    cpu::Scratchpad m_scratchpad;
    std::vector<float> m_lossScratch;  // exponentials of the logits, if a loss is computed without its gradient;
                                       // enlarged when a larger batch needs more
};

}  // namespace ringside
