// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "backend/convolution.h"
#include "backend/memory_count.h"
#include "backend/step_recorder.h"
#include "backend/uploader.h"
#include "tensor/tensor.h"

namespace ringside {

class HostMemory;    // cpu/host_memory.h
struct UpdateRules;  // update_state.h

// torch.optim.SGD. Rounded to float where they meet a float tensor, as PyTorch does.
struct SgdRule {
    double momentum = 0;
    double dampening = 0;
    double weightDecay = 0;
    bool nesterov = false;
};

// torch.optim.Adam or, with decoupled weight decay, AdamW (torch 1.13, _single_tensor_adam).
struct AdamRule {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0;
    bool decoupled = false;
};

// torch.nn.MaxPool2d(kernel) over images; rows and columns that fill no window are left out.
struct MaxPoolSpec {
    std::int64_t channels = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t kernel = 2;  // at most kMaxPoolKernel
    bool relu = false;        // what is pooled went through a ReLU: negative values count as 0 and get no gradient
    ImageLayout layout = ImageLayout::kChannelsLast;
};
inline constexpr std::int64_t kMaxPoolKernel = 15;  // a window's places are counted in a byte

// Causal self-attention of `heads` heads, each with headSize values, over the positions of a sequence.
struct AttentionSpec {
    std::int64_t positions = 1;
    std::int64_t heads = 1;
    std::int64_t headSize = 1;

    std::int64_t width() const { return heads * headSize; }
};

// Values that attention works with besides its input and output.
struct AttentionMemory {
    std::int64_t kept = 0;     // from the forward pass to the backward pass
    std::int64_t scratch = 0;  // in the backward pass
};

inline constexpr double kNormEpsilon = 1e-5;       // torch.nn.BatchNorm2d's and LayerNorm's default
inline constexpr double kBatchNormMomentum = 0.1;  // share of a batch in the running statistics

// Tensor operations on one device. Matrices are row-major, the first dimension is the batch (B); the positions of
// sequences are rows of their own, (B * positions, values). Shapes are checked when a model is built, not here.
// Operations may run asynchronously on the device, in order; download() and synchronize() wait. None allocates.
class Backend {
  public:
    virtual ~Backend() = default;

    virtual std::string name() const = 0;  // for people: "CPU (2 threads)"
    // Instruction set, or GPU, that the last bits of results depend on.
    virtual std::string instructionSet() const { return name(); }
    virtual Device device() const = 0;

    // What allocate() gave, and what others add to it.
    MemoryCount& memory() { return m_memoryCount; }

    // Zeroed, 64-byte aligned; lives as long as the backend. Only before training.
    virtual Tensor allocate(const Shape& shape, DType type) = 0;
    virtual void upload(const void* from, const Tensor& to) = 0;  // to.bytes() from host memory
    virtual void download(const Tensor& from, void* to) = 0;      // from.bytes() to host memory, waits
    virtual void synchronize() = 0;
    // For work that is the same in every step; none where a device gains nothing by it. The backend outlives it.
    virtual std::optional<RecordingDevice> recordingDevice() { return std::nullopt; }
    // Null where batches are read where they lie. pinned: they lie in page-locked memory. The backend outlives it.
    virtual std::unique_ptr<Uploader> makeUploader(bool /*pinned*/) { return nullptr; }

    virtual void fill(const Tensor& tensor, float value) = 0;
    virtual void copy(const Tensor& from, const Tensor& to) = 0;
    virtual void scale(const Tensor& tensor, float factor) = 0;
    virtual double squaredNorm(const Tensor& tensor) = 0;  // sum of squares; waits
    // Writes the sum of squares of each row of a tensor of squares.size() rows; waits. A GPU may write the sum of all
    // rows into the first element and zeros into the others.
    virtual void squaresOfRows(const Tensor& tensor, std::span<double> squares);
    // Returns the sum of squares of a whole tensor, added row by row. Equal to the last bit to squaresOfRows() of parts
    // of the rows, added in the order of the rows.
    double squaredNormByRows(const Tensor& tensor);
    virtual void add(const Tensor& from, const Tensor& to) = 0;  // to += from
    virtual void countUp(const Tensor& counter) = 0;             // counter(), kInt64, += 1

    // y(B,out) = x(B,in) weight(out,in)^T + bias(out)
    virtual void linearForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) = 0;
    // gradWeight = gradY^T x, gradBias = column sums of gradY; both overwritten
    virtual void linearBackwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                          const Tensor& gradBias) = 0;
    // gradX = gradY weight
    virtual void linearBackwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) = 0;

    // y may be x, gradX may be gradY. The gradient at 0 is 0, NaN passes through (torch.relu).
    virtual void reluForward(const Tensor& x, const Tensor& y) = 0;
    virtual void reluBackward(const Tensor& y, const Tensor& gradY, const Tensor& gradX) = 0;

    // logits(B,C), labels(B) as int64 in [0,C): loss of each row (B), whether its largest logit is the label (B, 1 or
    // 0) and the gradient of the mean over rows (B,C), unless gradient is empty.
    virtual void softmaxCrossEntropy(const Tensor& logits, const Tensor& labels, const Tensor& rowLoss,
                                     const Tensor& rowCorrect, const Tensor& gradient) = 0;
    // rowLoss(B) = mean over the row of (prediction - target)^2; gradient of the mean over all values.
    virtual void meanSquaredError(const Tensor& prediction, const Tensor& target, const Tensor& rowLoss,
                                  const Tensor& gradient) = 0;
    // Index of the largest value of each row, the first among equals.
    virtual void argmax(const Tensor& values, const Tensor& indices) = 0;

    // The state of updates, an UpdateState (update_state.h) in the device's memory, is a tensor of its bytes.
    // The loss' gradient times share and the state's loss scale.
    virtual void scaleLoss(const Tensor& gradient, float share, const Tensor& state) = 0;
    // Once in each step, before its updates: measures all gradients where the rules ask for it, and decides.
    virtual void decideUpdate(std::span<const Tensor> gradients, const UpdateRules& rules, const Tensor& state) = 0;
    // The same where ranks hold parts of the gradients: measured together, a square for each parameter.
    void decideUpdateWith(double squaredNorm, const UpdateRules& rules, const Tensor& state);
    // Updates follow the state: gradients count times its factor (and may be multiplied by it), and a step that is left
    // out changes nothing.
    // momentum may be empty when rule.momentum is 0. Bit for bit torch/optim/sgd.py with fused multiply-add.
    virtual void sgd(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum, const SgdRule& rule,
                     const Tensor& state) = 0;
    // The moments start at 0. Bit for bit torch/optim/adam.py and adamw.py with fused multiply-add.
    virtual void adam(const Tensor& parameter, const Tensor& gradient, const Tensor& firstMoment,
                      const Tensor& secondMoment, const AdamRule& rule, const Tensor& state) = 0;

    // Images are channels-last, (B,H,W,C), unless a layout is given.
    // True if this device has fast kernels for these convolutions on blocks of channels (plan/built_layers.h decides
    // which models can use them). makeConvolution() accepts both layouts.
    virtual bool prefersChannelBlocks(std::span<const ConvolutionSpec>) const { return false; }
    virtual std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec) = 0;
    // winners: where in its window each largest value was found, kUInt8, for the way back.
    virtual void maxPoolForward(const Tensor& x, const Tensor& y, const Tensor& winners, const MaxPoolSpec& spec) = 0;
    virtual void maxPoolBackward(const Tensor& gradY, const Tensor& winners, const Tensor& gradX,
                                 const MaxPoolSpec& spec) = 0;
    // y = x^T for each part of rows x columns values: between channels-first and the other orders.
    virtual void transposeSamples(const Tensor& x, const Tensor& y, std::int64_t rows, std::int64_t columns) = 0;

    // torch.nn.GELU(): x times the normal distribution function of x. gradX may not be gradY.
    virtual void geluForward(const Tensor& x, const Tensor& y) = 0;
    virtual void geluBackward(const Tensor& x, const Tensor& gradY, const Tensor& gradX) = 0;
    // torch.nn.LayerNorm over each row; moments(B,2) receives each row's mean and 1 / sqrt(variance + eps).
    virtual void layerNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
                                  const Tensor& moments) = 0;
    // gradWeight and gradBias are overwritten.
    virtual void layerNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                             const Tensor& gradWeight, const Tensor& gradBias) = 0;
    virtual void layerNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                        const Tensor& gradY, const Tensor& gradX) = 0;

    // torch.nn.BatchNorm2d: statistics of each channel over all images and pixels. x is (B,H,W,C), or in blocks
    // (B, C / kChannelBlock, H * W, kChannelBlock) where its last dimension says so. Training normalises by the batch's
    // and moves runningMean and runningVariance towards them (the variance with n - 1 below); moments(2,C) receives the
    // means, then each 1 / sqrt(variance + eps).
    virtual void batchNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                                  const Tensor& runningVariance, const Tensor& y, const Tensor& moments) = 0;
    virtual void batchNormEvaluate(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                                   const Tensor& runningVariance, const Tensor& y) = 0;
    // gradWeight and gradBias are overwritten; the way to gradX needs them as they are.
    virtual void batchNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                             const Tensor& gradWeight, const Tensor& gradBias) = 0;
    virtual void batchNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                        const Tensor& gradWeight, const Tensor& gradBias, const Tensor& gradY,
                                        const Tensor& gradX) = 0;
    // Mean of each channel over the pixels: y(B,C), x as for batch norm.
    virtual void averagePoolForward(const Tensor& x, const Tensor& y) = 0;
    virtual void averagePoolBackward(const Tensor& gradY, const Tensor& gradX) = 0;

    // Value i is kept, times 1 / (1 - probability), where dropoutKeeps(key, i) (dropout_mask.h), and 0 elsewhere; the
    // way back is the same on the gradient. key(1): kInt64. y may be x.
    virtual void dropout(const Tensor& x, const Tensor& y, const Tensor& key, double probability) = 0;

    // y(R,C) = the rows of table(V,C) that the R tokens name; tokens are whole numbers in floats, in [0,V).
    virtual void embeddingForward(const Tensor& tokens, const Tensor& table, const Tensor& y) = 0;
    // gradTable is overwritten; rows are added up in the same order every time.
    virtual void embeddingBackward(const Tensor& tokens, const Tensor& gradY, const Tensor& gradTable) = 0;
    // y(B*T,C) = x + table(T,C) on every sequence; gradTable = gradY added up over the sequences. y may be x.
    virtual void addPositions(const Tensor& x, const Tensor& table, const Tensor& y) = 0;
    virtual void positionGradient(const Tensor& gradY, const Tensor& gradTable) = 0;

    // Of each sequence.
    virtual AttentionMemory attentionMemory(const AttentionSpec& spec) const {
        const std::int64_t shares = spec.heads * spec.positions * spec.positions;
        return {shares, shares};
    }
    // qkv(B*T, 3*width): queries, keys and values, each head after head; y(B*T, width). A position attends to itself
    // and those before it: y = shares v, where shares(B,heads,T,T) = softmax(q k^T / sqrt(headSize)), 0 above the
    // diagonal. kept(B, attentionMemory().kept) is what the way back needs of them.
    virtual void attentionForward(const Tensor& qkv, const Tensor& kept, const Tensor& y,
                                  const AttentionSpec& spec) = 0;
    // scratch(B, attentionMemory().scratch), empty where that is 0. gradQkv is overwritten.
    virtual void attentionBackward(const Tensor& qkv, const Tensor& kept, const Tensor& gradY, const Tensor& scratch,
                                   const Tensor& gradQkv, const AttentionSpec& spec) = 0;

  private:
    MemoryCount m_memoryCount;
};

// threads >= 1: how many CPUs one rank may use; 1 never starts a thread pool. winograd: for gradients, where faster.
std::unique_ptr<Backend> makeCpuBackend(int threads, bool winograd = true);
// memory: where tensors and what oneDNN works in come from; it outlives the backend.
std::unique_ptr<Backend> makeCpuBackend(int threads, bool winograd, HostMemory& memory);

// CPUs this process may run on, shared evenly by the ranks of a host; at least 1.
int threadsPerRank(int ranksOnHost);

}  // namespace ringside
