// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/cuda_convolution.h"
#include "backend/cuda/device/cuda_device.h"
#include "backend/cuda/device/growing_memory.h"
#include "backend/cuda/device/pinned_ring.h"
#include "backend/cuda/kernels/list_kernels.h"
#include "backend/cuda/matrix_product.h"

namespace ringside {

// Options of a CudaBackend.
struct CudaOptions {
    int device = 0;  // index of the GPU among the visible ones (CUDA_VISIBLE_DEVICES)
    // GPU of each device of this process, by the number that makePeer() takes; if empty, `device` is the only GPU
    std::vector<int> peers;
    std::string label;  // text appended to the backend's name, for example that ranks share the GPU
    cuda::Precision precision = cuda::Precision::kFloat32;
    bool recordsSteps = true;                   // true to record steps as CUDA graphs
    bool updatesAtOnce = true;                  // true to update many parameters with one launch
    std::chrono::milliseconds deadline{60000};  // timeout of each wait on the host
};

// Backend on one GPU: matrix products by cuBLASLt, convolutions by cuDNN, other operations by kernels of Ringside, all
// on one compute stream. download(), squaredNorm() and synchronize() wait for the stream by polling it, so that a
// hanging collective on the same GPU is detected.
class CudaBackend final : public Backend {
  public:
    explicit CudaBackend(const CudaOptions& options);

    // Sets a function that is called repeatedly during each wait of the host. The function may throw. Used for
    // NcclCommunicator::poll().
    void setWaitCallback(std::function<void()> meanwhile) { m_waitCallback = std::move(meanwhile); }
    cudaStream_t stream() const { return m_stream.get(); }
    const cuda::CudaDevice& cudaDevice() const { return m_device; }

    std::string name() const override;
    Device device() const override { return {Device::Kind::kCuda, m_device.index()}; }
    Tensor allocate(const Shape& shape, DType type) override;
    void upload(const void* from, const Tensor& to) override;
    void download(const Tensor& from, void* to) override;
    void synchronize() override;
    std::optional<RecordingDevice> recordingDevice() override;
    std::unique_ptr<Uploader> makeUploader(bool pinned) override;
    void fill(const Tensor& tensor, float value) override;
    void copy(const Tensor& from, const Tensor& to) override;
    void scale(const Tensor& tensor, float factor) override;
    std::unique_ptr<ResultSlot> makeResultSlot(std::size_t bytes) override;
    std::unique_ptr<ReductionKernels> makeReductionKernels() override;
    // See Backend::makePeer(). If `number` exceeds the number of GPUs in CudaOptions::peers, several backends share a
    // GPU.
    std::unique_ptr<Backend> makePeer(int number, int devices) override;
    void copyFromPeer(const Tensor& from, const Tensor& to) override;
    double squaredNorm(const Tensor& tensor) override;
    void add(const Tensor& from, const Tensor& to) override;
    void countUp(const Tensor& counter) override;
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
    void sgdAll(std::span<const SgdTensors> parameters, const SgdRule& rule, const Tensor& state) override;
    void adamAll(std::span<const AdamTensors> parameters, const AdamRule& rule, const Tensor& state) override;
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
    void attentionForward(const Tensor& qkv, const Tensor& shares, const Tensor& y, const AttentionSpec& spec) override;
    void attentionBackward(const Tensor& qkv, const Tensor& shares, const Tensor& gradY, const Tensor& scratch,
                           const Tensor& gradQkv, const AttentionSpec& spec) override;

  private:
    // Counts a copy between host and device. Throws while a step is recorded as a CUDA graph, because a launch of the
    // graph cannot repeat the work of the host.
    void countHostCopy();
    cuda::RingParts ringParts() const;
    // Each of these functions launches a kernel of kernels.h on the compute stream and throws if the launch fails.
    template <class Value>
    void values(std::size_t count, const Value& value, const char* doing);
    // listed() adds a kernel to a list, and launches all kernels of the list when it is full. finishList() launches the
    // kernels that are still in the list.
    template <class Value>
    void listed(cuda::ValueList<Value>& list, const Value& value, std::size_t count, const char* doing);
    template <class Value>
    void finishList(cuda::ValueList<Value>& list, const char* doing);
    template <class Row>
    void rows(std::size_t count, const Row& row, const char* doing);
    template <class Term, class Finish>
    void columns(std::size_t rows, std::size_t columns, const Term& term, const Finish& finish, const char* doing);

    cuda::CudaDevice m_device;
    CudaOptions m_options;
    cuda::UniqueStream m_stream;
    cuda::MatrixProduct m_products;
    std::shared_ptr<GpuRuntime> m_runtime;
    cuda::PinnedRing m_uploads;
    cuda::UniquePinnedMemory m_downloadBuffer;  // page-locked memory for small downloads
    cuda::GrowingMemory m_normParts;
    std::vector<cuda::SummedValues> m_summed;  // gradients whose squares the latest call of decideUpdate() summed
    cuda::GrowingMemory m_sums;
    std::unique_ptr<cuda::ConvolutionMaker> m_convolutions;  // maker of cuDNN's convolutions; null until the first
                                                             // convolution is made
    std::vector<cuda::UniqueDeviceMemory> m_memory;
    std::function<void()> m_waitCallback;
    std::int64_t m_hostCopies = 0;
};

}  // namespace ringside
