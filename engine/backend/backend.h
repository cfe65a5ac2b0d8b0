// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "backend/convolution.h"
#include "backend/memory_count.h"
#include "backend/reduction_kernels.h"
#include "backend/result_slot.h"
#include "backend/step_recorder.h"
#include "backend/uploader.h"
#include "tensor/tensor.h"

namespace ringside {

class HostMemory;  // defined in cpu/support/host_memory.h

// Parameters of torch.optim.SGD. Each value is rounded to float where it is combined with a float tensor, as in
// PyTorch.
struct SgdRule {
    double momentum = 0;
    double dampening = 0;
    double weightDecay = 0;
    bool nesterov = false;
};

// Parameters of torch.optim.Adam or, with decoupled weight decay, of torch.optim.AdamW (torch 1.13,
// _single_tensor_adam).
struct AdamRule {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weightDecay = 0;
    bool decoupled = false;
};

// Tensors of one parameter that torch.optim.SGD updates. momentum may be empty if SgdRule::momentum is 0.
struct SgdTensors {
    Tensor parameter;
    Tensor gradient;
    Tensor momentum;
};

// Tensors of one parameter that torch.optim.Adam updates.
struct AdamTensors {
    Tensor parameter;
    Tensor gradient;
    Tensor firstMoment;
    Tensor secondMoment;
};

// Parameters of torch.nn.MaxPool2d(kernel) over images. Rows and columns that do not fill a window are ignored.
struct MaxPoolSpec {
    std::int64_t channels = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t kernel = 2;  // side of the pooling window; at most kMaxPoolKernel
    // true: the operation first applies a ReLU to the values to pool, so that a negative value counts as 0 and has
    // gradient 0.
    bool relu = false;
    ImageLayout layout = ImageLayout::kChannelsLast;
};
inline constexpr std::int64_t kMaxPoolKernel = 15;  // largest kernel, so that a position in a window fits into a byte

// Parameters of causal self-attention over the positions of a sequence.
struct AttentionSpec {
    std::int64_t positions = 1;
    std::int64_t heads = 1;
    std::int64_t headSize = 1;

    std::int64_t width() const { return heads * headSize; }
};

// Number of values per sequence that attention needs besides its input and output.
struct AttentionMemory {
    std::int64_t kept = 0;     // number of values that the forward pass keeps for the backward pass
    std::int64_t scratch = 0;  // number of values in the working memory of the backward pass
};

inline constexpr double kNormEpsilon = 1e-5;  // default eps of torch.nn.BatchNorm2d and torch.nn.LayerNorm
// default momentum of torch.nn.BatchNorm2d: weight of a batch in the running statistics
inline constexpr double kBatchNormMomentum = 0.1;

// Tensor operations on one device.
//
// Matrices are row-major and their first dimension is the batch (B). Each position of a sequence is one row:
// (B * positions, values). Shapes are checked when a model is built, not by these operations.
//
// Operations may run asynchronously on the device, in the order of the calls; download(), synchronize() and the
// operations marked "blocks" wait for the device. Operations on tensors allocate no memory.
//
// The backend owns the memory of all tensors that allocate() returns. A Tensor is a view, which may be copied freely.
//
// A call throws DeviceError if the device fails, does not finish in time, or has no memory left. An error of an
// asynchronous operation is thrown by a later call. allocate() also throws DeviceError if the total exceeds the limit
// of memory() (parallel.memory_limit_mb).
//
// Thread safety: one thread at a time; on a GPU, only the thread that created the backend.
class Backend {
  public:
    virtual ~Backend() = default;

    virtual std::string name() const = 0;  // returns the name for log lines, such as "CPU (2 threads)"
    // Returns the instruction set or GPU on which the last bits of results depend.
    virtual std::string instructionSet() const { return name(); }
    virtual Device device() const = 0;

    // Returns the counter of the bytes that allocate() has allocated, to which other components add their own memory.
    MemoryCount& memory() { return m_memoryCount; }

    // Allocates a zeroed, 64-byte aligned tensor that lives as long as the backend. Call only before training starts.
    virtual Tensor allocate(const Shape& shape, DType type) = 0;
    // Copies to.bytes() bytes from host memory. `from` may be changed as soon as the call returns.
    virtual void upload(const void* from, const Tensor& to) = 0;
    virtual void download(const Tensor& from, void* to) = 0;  // copies from.bytes() bytes to host memory; blocks
    // Blocks until all enqueued work is done.
    virtual void synchronize() = 0;
    // Returns the functions with which a StepRecorder records the work of a step and replays it. Returns empty if
    // recording does not make steps faster on this device. The backend must outlive the functions.
    virtual std::optional<RecordingDevice> recordingDevice() { return std::nullopt; }
    // Makes an uploader for batches. Returns null if the device reads batches directly from host memory. pinned: true
    // if the batches lie in page-locked memory. The backend must outlive the uploader.
    virtual std::unique_ptr<Uploader> makeUploader(bool /*pinned*/) { return nullptr; }

    // Makes a slot: page-locked memory to which the device copies results of a step, and which the host reads after it
    // has launched the next step. Returns null for a backend on the CPU, whose results are in host memory already.
    // bytes: capacity, with each piece rounded up to 64 bytes. The backend must outlive the slot.
    virtual std::unique_ptr<ResultSlot> makeResultSlot(std::size_t /*bytes*/) { return nullptr; }

    // Makes the backend of another device of this process, for a strategy with a thread per device. Call it on the
    // thread that will use the result. number: number of the device in the process, from 1; this backend has 0.
    // devices: number of devices among which the process divides its CPUs.
    virtual std::unique_ptr<Backend> makePeer(int number, int devices) = 0;
    // Copies a tensor that another backend of the process has allocated, perhaps on another device. The other backend's
    // work on `from` must have finished. The other backend must not change `from` until synchronize() of this backend
    // has returned.
    virtual void copyFromPeer(const Tensor& from, const Tensor& to) = 0;

    // Makes the operations for reductions over ranks. The backend must outlive these operations.
    virtual std::unique_ptr<ReductionKernels> makeReductionKernels();

    virtual void fill(const Tensor& tensor, float value) = 0;
    virtual void copy(const Tensor& from, const Tensor& to) = 0;
    virtual void scale(const Tensor& tensor, float factor) = 0;
    virtual double squaredNorm(const Tensor& tensor) = 0;  // sum of squares; blocks
    // Writes the sum of squares of each row of a tensor with squares.size() rows; blocks. A GPU may write the sum of
    // all rows into the first element of `squares` and zeros into all other elements.
    virtual void squaresOfRows(const Tensor& tensor, std::span<double> squares);
    virtual void add(const Tensor& from, const Tensor& to) = 0;  // to += from
    virtual void countUp(const Tensor& counter) = 0;             // adds 1 to counter(1), an integer (kInt64)

    // torch.nn.Linear: y(B,out) = x(B,in) weight(out,in)^T + bias(out).
    virtual void linearForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) = 0;
    // Overwrites gradWeight with gradY^T x, and gradBias with the column sums of gradY.
    virtual void linearBackwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                          const Tensor& gradBias) = 0;
    // Overwrites gradX with the matrix product gradY weight.
    virtual void linearBackwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) = 0;

    // torch.relu: the gradient at 0 is 0 and NaN stays NaN. y may be x, gradX may be gradY.
    virtual void reluForward(const Tensor& x, const Tensor& y) = 0;
    virtual void reluBackward(const Tensor& y, const Tensor& gradY, const Tensor& gradX) = 0;

    // torch.nn.CrossEntropyLoss for logits(B,C) and labels(B) of int64 in [0,C). Writes the loss of each row to
    // rowLoss(B), 1 or 0 to rowCorrect(B) depending on whether the largest logit is the label's, and the gradient of
    // the mean over rows to gradient(B,C) unless it is empty.
    virtual void softmaxCrossEntropy(const Tensor& logits, const Tensor& labels, const Tensor& rowLoss,
                                     const Tensor& rowCorrect, const Tensor& gradient) = 0;
    // torch.nn.MSELoss: rowLoss(B) = mean over the row of (prediction - target)^2. Writes the gradient of the mean over
    // all values to gradient unless it is empty.
    virtual void meanSquaredError(const Tensor& prediction, const Tensor& target, const Tensor& rowLoss,
                                  const Tensor& gradient) = 0;
    // torch.argmax over each row: the index of the largest value, the first index if several are equal.
    virtual void argmax(const Tensor& values, const Tensor& indices) = 0;

    // The parameter `state` of the functions below is a tensor in the device's memory that contains the bytes of an
    // UpdateState (update_state.h).
    //
    // Multiplies the gradient of the loss by `share` and by the loss scale of the state, as
    // torch.cuda.amp.GradScaler.scale(). share: weight of the micro-batch in the step's mean gradient.
    virtual void scaleLoss(const Tensor& gradient, float share, const Tensor& state) = 0;
    // Computes the norm of all gradients if the rules require it. Then writes the decision on the step's update to the
    // state: the factor of the gradients, and whether the step is skipped (torch.nn.utils.clip_grad_norm_,
    // GradScaler.unscale_() and update()). Call once in each step, before sgd() or adam().
    virtual void decideUpdate(std::span<const Tensor> gradients, const UpdateRules& rules, const Tensor& state) = 0;
    // torch.optim.SGD. Multiplies the gradients, possibly in place, by UpdateState::factor, which unscales and clips
    // them. Changes nothing if the state marks the step as skipped. momentum may be empty if rule.momentum is 0.
    // Bit-identical to torch/optim/sgd.py with fused multiply-add.
    virtual void sgd(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum, const SgdRule& rule,
                     const Tensor& state) = 0;
    // torch.optim.Adam and AdamW; state as for sgd(). Both moments must be 0 before the first update. Bit-identical to
    // torch/optim/adam.py and adamw.py with fused multiply-add.
    virtual void adam(const Tensor& parameter, const Tensor& gradient, const Tensor& firstMoment,
                      const Tensor& secondMoment, const AdamRule& rule, const Tensor& state) = 0;
    // Update all parameters. The results are bit-identical to those of sgd() or adam() for each parameter. A GPU
    // updates many tensors with one launch, as torch.optim's foreach and fused implementations do.
    virtual void sgdAll(std::span<const SgdTensors> parameters, const SgdRule& rule, const Tensor& state);
    virtual void adamAll(std::span<const AdamTensors> parameters, const AdamRule& rule, const Tensor& state);

    // Images are channels-last, (B,H,W,C), unless the comment of a function gives another layout.
    //
    // True if this device computes these convolutions faster on images that are stored in blocks of channels
    // (plan/built_layers.h decides which models can use this layout). makeConvolution() accepts both layouts.
    virtual bool prefersChannelBlocks(std::span<const ConvolutionSpec>) const { return false; }
    // Makes a torch.nn.Conv2d for one shape. The backend must outlive it.
    virtual std::unique_ptr<Convolution> makeConvolution(const ConvolutionSpec& spec) = 0;
    // torch.nn.MaxPool2d. winners (kUInt8) receives the position of each largest value in its window, for the backward
    // pass.
    virtual void maxPoolForward(const Tensor& x, const Tensor& y, const Tensor& winners, const MaxPoolSpec& spec) = 0;
    virtual void maxPoolBackward(const Tensor& gradY, const Tensor& winners, const Tensor& gradX,
                                 const MaxPoolSpec& spec) = 0;
    // Transposes each sample as a matrix of rows x columns values. Converts between channels-first and other layouts.
    virtual void transposeSamples(const Tensor& x, const Tensor& y, std::int64_t rows, std::int64_t columns) = 0;

    // torch.nn.GELU(): x times the cumulative distribution function of the standard normal distribution at x. gradX
    // must not be gradY.
    virtual void geluForward(const Tensor& x, const Tensor& y) = 0;
    virtual void geluBackward(const Tensor& x, const Tensor& gradY, const Tensor& gradX) = 0;
    // torch.nn.LayerNorm over each row. moments(B,2) receives each row's mean and 1 / sqrt(variance + eps).
    virtual void layerNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
                                  const Tensor& moments) = 0;
    // Overwrites gradWeight and gradBias with the gradients of layer norm's parameters.
    virtual void layerNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                             const Tensor& gradWeight, const Tensor& gradBias) = 0;
    virtual void layerNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                        const Tensor& gradY, const Tensor& gradX) = 0;

    // torch.nn.BatchNorm2d over all images and pixels of each channel. x is (B,H,W,C), or (B, C / kChannelBlock, H * W,
    // kChannelBlock) if its images are stored in blocks of channels. batchNormForward() normalises by the statistics of
    // the batch and updates runningMean and runningVariance (with the unbiased variance). moments(2,C) receives all
    // means, then all values of 1 / sqrt(variance + eps).
    virtual void batchNormForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                                  const Tensor& runningVariance, const Tensor& y, const Tensor& moments) = 0;
    // torch.nn.BatchNorm2d in evaluation mode: normalises by runningMean and runningVariance instead of the statistics
    // of the batch.
    virtual void batchNormEvaluate(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                                   const Tensor& runningVariance, const Tensor& y) = 0;
    // Overwrites gradWeight and gradBias. batchNormBackwardInput() reads gradWeight and gradBias, which must not be
    // changed before.
    virtual void batchNormBackwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY,
                                             const Tensor& gradWeight, const Tensor& gradBias) = 0;
    virtual void batchNormBackwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight,
                                        const Tensor& gradWeight, const Tensor& gradBias, const Tensor& gradY,
                                        const Tensor& gradX) = 0;
    // torch.nn.AdaptiveAvgPool2d(1): y(B,C) = mean of each channel over the pixels, x as for batch norm.
    virtual void averagePoolForward(const Tensor& x, const Tensor& y) = 0;
    virtual void averagePoolBackward(const Tensor& gradY, const Tensor& gradX) = 0;

    // torch.nn.Dropout: multiplies value i by 1 / (1 - probability) if dropoutKeeps(key, i) (dropout_mask.h), otherwise
    // by 0. The backward pass is the same operation on the gradient. key(1) of kInt64. y may be x.
    virtual void dropout(const Tensor& x, const Tensor& y, const Tensor& key, double probability) = 0;

    // torch.nn.Embedding: y(R,C) = the rows of table(V,C) with the indices tokens(R), which are whole numbers in [0,V),
    // stored as floats.
    virtual void embeddingForward(const Tensor& tokens, const Tensor& table, const Tensor& y) = 0;
    // Overwrites gradTable. Rows are always added in the same order.
    virtual void embeddingBackward(const Tensor& tokens, const Tensor& gradY, const Tensor& gradTable) = 0;
    // Position embedding: y(B*T,C) = x + table(T,C) for every sequence; y may be x. positionGradient() overwrites
    // gradTable with the sum of gradY over the sequences.
    virtual void addPositions(const Tensor& x, const Tensor& table, const Tensor& y) = 0;
    virtual void positionGradient(const Tensor& gradY, const Tensor& gradTable) = 0;

    // Returns the memory that attention needs for each sequence.
    virtual AttentionMemory attentionMemory(const AttentionSpec& spec) const {
        const std::int64_t shares = spec.heads * spec.positions * spec.positions;
        return {shares, shares};
    }
    // torch.nn.functional.scaled_dot_product_attention(is_causal=True). qkv(B*T, 3*width) holds queries, keys and
    // values, each with the heads one after the other; y(B*T, width). A position attends to itself and to earlier
    // positions: y = shares v, where shares(B,heads,T,T) = softmax(q k^T / sqrt(headSize)), 0 above the diagonal.
    // kept(B, attentionMemory().kept) receives the values that the backward pass needs.
    virtual void attentionForward(const Tensor& qkv, const Tensor& kept, const Tensor& y,
                                  const AttentionSpec& spec) = 0;
    // scratch(B, attentionMemory().scratch) is working memory, empty if its size is 0. Overwrites gradQkv.
    virtual void attentionBackward(const Tensor& qkv, const Tensor& kept, const Tensor& gradY, const Tensor& scratch,
                                   const Tensor& gradQkv, const AttentionSpec& spec) = 0;

  private:
    MemoryCount m_memoryCount;
};

// Returns the sum of squares of a whole tensor. The result is bit-identical to the sum, in the order of the rows, of
// the results of Backend::squaresOfRows() for parts of the tensor, so that several ranks can compute it together.
double squaredNormByRows(Backend& backend, const Tensor& tensor);

// Decides on the step's update as Backend::decideUpdate(), for a rank that holds only a part of the gradients.
// squaredNorm: squared norm of all gradients of the model, computed by the caller. state: as in Backend.
void decideUpdateWith(Backend& backend, double squaredNorm, const UpdateRules& rules, const Tensor& state);

// Makes a backend on the CPU. threads: number of CPUs that one rank may use, at least 1; with 1, no thread pool is
// started. winograd: true to compute the gradients of convolutions by Winograd's algorithm where it is faster.
std::unique_ptr<Backend> makeCpuBackend(int threads, bool winograd = true);
// Makes a backend on the CPU that takes its tensors and oneDNN's working memory from `memory`, which must outlive the
// backend.
std::unique_ptr<Backend> makeCpuBackend(int threads, bool winograd, HostMemory& memory);

// Returns the number of CPUs that this process may run on, divided evenly among the ranks of a host; at least 1.
int threadsPerRank(int ranksOnHost);

}  // namespace ringside
