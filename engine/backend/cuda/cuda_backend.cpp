// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_backend.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/cuda/cuda_launches.h"
#include "backend/cuda/cuda_reduction_kernels.h"
#include "backend/cuda/device/pinned_slot.h"
#include "backend/cuda/kernels/optimizer_scalars.h"
#include "backend/cuda/step_graph.h"
#include "base/errors/errors.h"

namespace ringside {

using namespace cuda;

namespace {

constexpr std::size_t kLandingBytes = 1U << 20;

// Returns the parts of a ring of page-locked memory with a slot for each small upload of a step, such as the keys of
// dropout. A step uploads these values while the previous step runs, and a full ring would make the host wait for the
// previous step.
RingParts withManySlots(RingParts parts) {
    parts.slotCount = 128;
    parts.slotBytes = 64U << 10;
    return parts;
}

constexpr const char* kUpdating = "updating parameters";

SummedValues summedValuesOf(const Tensor& tensor) {
    return {floats(tensor), countOf(tensor)};
}

UpdateState* updateStateIn(const Tensor& tensor) {
    return static_cast<UpdateState*>(tensor.data);
}

}  // namespace

CudaBackend::CudaBackend(const CudaOptions& options)
    : m_device(options.device),
      m_options(options),
      m_stream(m_device.makeStream()),
      m_products(m_device, options.precision),
      m_runtime(makeGpuRuntime()),
      m_uploads(withManySlots(ringParts()), false),
      m_downloadBuffer(m_device.allocatePinned(kLandingBytes)),
      m_normParts(m_device, "partial sums of squares"),
      m_sums(m_device, "column sums") {}

RingParts CudaBackend::ringParts() const {
    return {m_runtime, std::make_shared<SteadyClock>(), m_stream.get(), m_device.name(), m_options.deadline};
}

std::string CudaBackend::name() const {
    return m_options.label.empty() ? m_device.name() : m_device.name() + ", " + m_options.label;
}

Tensor CudaBackend::allocate(const Shape& shape, DType type) {
    Tensor tensor{nullptr, shape, type, device()};
    memory().add(tensor.bytes());
    m_memory.push_back(m_device.allocate(tensor.bytes(), "a tensor of shape " + shape.text()));
    tensor.data = m_memory.back().get();
    return tensor;
}

std::optional<RecordingDevice> CudaBackend::recordingDevice() {
    if (!m_options.recordsSteps) return std::nullopt;
    RecordingDevice device;
    device.record = [this](const std::function<void()>& work) -> std::unique_ptr<RecordedWork> {
        try {
            return std::make_unique<StepGraph>(*this, work);
        } catch (...) {
            cudaGetLastError();  // clears the error, which the next launch would report otherwise
            throw;
        }
    };
    device.hostCopies = [this] { return m_hostCopies; };
    return device;
}

std::unique_ptr<Uploader> CudaBackend::makeUploader(bool pinned) {
    return std::make_unique<PinnedRing>(ringParts(), pinned);
}

std::unique_ptr<ResultSlot> CudaBackend::makeResultSlot(std::size_t bytes) {
    static_assert(ResultSlot::kNormParts == kNormBlocks);
    SlotFunctions functions;
    functions.meanwhile = [this] {
        if (m_waitCallback) m_waitCallback();
    };
    functions.sumSquares = [this](const Tensor& values, double* parts) {
        const SummedValues summed = summedValuesOf(values);
        squaredNormParts(&summed, 1, parts, m_stream.get());
        m_device.checkLaunch("summing squares");
    };
    return std::make_unique<PinnedSlot>(ringParts(), bytes, std::move(functions));
}

std::unique_ptr<ReductionKernels> CudaBackend::makeReductionKernels() {
    return std::make_unique<CudaReductionKernels>(m_device, m_stream.get());
}

std::unique_ptr<Backend> CudaBackend::makePeer(int number, int) {
    CudaOptions options = m_options;
    if (!m_options.peers.empty())
        options.device = m_options.peers[static_cast<std::size_t>(number) % m_options.peers.size()];
    return std::make_unique<CudaBackend>(options);
}

// Works for all GPUs: cudaMemcpyPeerAsync() copies through the host if the GPUs cannot access each other's memory
// directly.
void CudaBackend::copyFromPeer(const Tensor& from, const Tensor& to) {
    m_device.check(
        cudaMemcpyPeerAsync(to.data, to.device.index, from.data, from.device.index, from.bytes(), m_stream.get()),
        "copying from another GPU");
}

void CudaBackend::countHostCopy() {
    ++m_hostCopies;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    m_device.check(cudaStreamIsCapturing(m_stream.get(), &status), "copying");
    if (status != cudaStreamCaptureStatusNone)
        throw DeviceError(m_device.name() +
                          ": a step that copies to or from the host cannot be recorded as a CUDA graph");
}

void CudaBackend::upload(const void* from, const Tensor& to) {
    countHostCopy();
    m_uploads.start(from, to);
    m_uploads.join();
}

// A copy to ordinary (pageable) host memory would block inside CUDA, and during this time no thread would poll the
// collectives in flight. Small results are therefore copied to page-locked memory, and large ones only after the stream
// is empty.
void CudaBackend::download(const Tensor& from, void* to) {
    countHostCopy();
    const std::size_t bytes = from.bytes();
    if (bytes > kLandingBytes) {
        synchronize();
        m_device.check(cudaMemcpy(to, from.data, bytes, cudaMemcpyDeviceToHost), "downloading");
        return;
    }
    m_device.check(cudaMemcpyAsync(m_downloadBuffer.get(), from.data, bytes, cudaMemcpyDeviceToHost, m_stream.get()),
                   "downloading");
    synchronize();
    std::memcpy(to, m_downloadBuffer.get(), bytes);
}

void CudaBackend::synchronize() {
    m_device.wait(m_stream.get(), m_options.deadline, m_waitCallback);
}

void CudaBackend::fill(const Tensor& tensor, float value) {
    values(countOf(tensor), FillValue{floats(tensor), value}, "filling");
}

void CudaBackend::copy(const Tensor& from, const Tensor& to) {
    m_device.check(cudaMemcpyAsync(to.data, from.data, from.bytes(), cudaMemcpyDeviceToDevice, m_stream.get()),
                   "copying");
}

void CudaBackend::scale(const Tensor& tensor, float factor) {
    values(countOf(tensor), ScaleValue{floats(tensor), factor}, "scaling");
}

double CudaBackend::squaredNorm(const Tensor& tensor) {
    countHostCopy();
    auto* parts = m_normParts.atLeast<double>(kNormBlocks);
    const SummedValues summed = summedValuesOf(tensor);
    squaredNormParts(&summed, 1, parts, m_stream.get());
    m_device.checkLaunch("summing squares");
    auto* landed = static_cast<double*>(m_downloadBuffer.get());
    m_device.check(cudaMemcpyAsync(landed, parts, kNormBlocks * sizeof(double), cudaMemcpyDeviceToHost, m_stream.get()),
                   "summing squares");
    synchronize();
    double sum = 0;
    for (int i = 0; i < kNormBlocks; ++i) sum += landed[i];
    return sum;
}

void CudaBackend::add(const Tensor& from, const Tensor& to) {
    values(countOf(to), AddValue{floats(from), floats(to)}, "adding gradients");
}

void CudaBackend::countUp(const Tensor& counter) {
    values(1, CountedValue{static_cast<std::int64_t*>(counter.data)}, "counting batches");
}

void CudaBackend::linearForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
    m_products.forward(floats(x), floats(weight), floats(bias), floats(y), x.rows(), weight.shape[1], weight.shape[0],
                       m_stream.get());
    m_device.checkLaunch("multiplying");
}

void CudaBackend::linearBackwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                           const Tensor& gradBias) {
    m_products.backwardParameters(floats(x), floats(gradY), floats(gradWeight), floats(gradBias), x.rows(),
                                  gradWeight.shape[1], gradWeight.shape[0], m_stream.get());
    m_device.checkLaunch("multiplying");
}

void CudaBackend::linearBackwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) {
    m_products.backwardInput(floats(gradY), floats(weight), floats(gradX), gradY.rows(), weight.shape[1],
                             weight.shape[0], m_stream.get());
    m_device.checkLaunch("multiplying");
}

void CudaBackend::reluForward(const Tensor& x, const Tensor& y) {
    values(countOf(x), ReluValue{floats(x), floats(y)}, "computing ReLU");
}

void CudaBackend::reluBackward(const Tensor& y, const Tensor& gradY, const Tensor& gradX) {
    values(countOf(y), ReluGradientValue{floats(y), floats(gradY), floats(gradX)}, "computing ReLU's gradient");
}

void CudaBackend::softmaxCrossEntropy(const Tensor& logits, const Tensor& labels, const Tensor& rowLoss,
                                      const Tensor& rowCorrect, const Tensor& gradient) {
    const float perRow = 1.0F / static_cast<float>(rowsOf(logits));
    const CrossEntropyRow row{floats(logits),
                              static_cast<const std::int64_t*>(labels.data),
                              columnsOf(logits),
                              floats(rowLoss),
                              floats(rowCorrect),
                              floats(gradient),
                              perRow};
    rows(rowsOf(logits), row, "computing the cross-entropy");
}

void CudaBackend::meanSquaredError(const Tensor& prediction, const Tensor& target, const Tensor& rowLoss,
                                   const Tensor& gradient) {
    const float perValue = 2.0F / static_cast<float>(countOf(prediction));
    const SquaredErrorRow row{floats(prediction), floats(target),   columnsOf(prediction),
                              floats(rowLoss),    floats(gradient), perValue};
    rows(rowsOf(prediction), row, "computing the squared error");
}

void CudaBackend::argmax(const Tensor& logits, const Tensor& indices) {
    rows(rowsOf(logits), ArgmaxRow{floats(logits), columnsOf(logits), static_cast<std::int64_t*>(indices.data)},
         "finding the largest logits");
}

void CudaBackend::scaleLoss(const Tensor& gradient, float share, const Tensor& state) {
    values(countOf(gradient), LossScaledValue{floats(gradient), share, updateStateIn(state)}, "scaling the loss");
}

// Computes the squared norm of each gradient and decides on the step's update on the GPU, without waiting for the GPU.
void CudaBackend::decideUpdate(std::span<const Tensor> gradients, const UpdateRules& rules, const Tensor& state) {
    if (!rules.measuresNorm()) gradients = {};
    double* squares = nullptr;
    if (!gradients.empty()) {
        squares = m_normParts.atLeast<double>(gradients.size() * (kNormBlocks + 1));
        double* parts = squares + gradients.size();
        m_summed.clear();
        for (const Tensor& gradient : gradients) m_summed.push_back(summedValuesOf(gradient));
        const std::size_t perLaunch = m_options.updatesAtOnce ? m_summed.size() : 1;
        for (std::size_t i = 0; i < m_summed.size(); i += perLaunch)
            squaredNormParts(m_summed.data() + i, perLaunch, parts + i * kNormBlocks, m_stream.get());
        m_device.checkLaunch("summing squares");
        rows(gradients.size(), NormRow{parts, kNormBlocks, squares}, "summing squares");
    }
    values(1, DecidedValue{squares, gradients.size(), rules, updateStateIn(state)}, "checking for infinite gradients");
}

void CudaBackend::sgd(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum, const SgdRule& rule,
                      const Tensor& state) {
    const SgdTensors one{parameter, gradient, momentum};
    sgdAll({&one, 1}, rule, state);
}

void CudaBackend::sgdAll(std::span<const SgdTensors> parameters, const SgdRule& rule, const Tensor& state) {
    ValueList<SgdValue> list;
    for (const SgdTensors& one : parameters) {
        float* velocity = rule.momentum == 0 ? nullptr : floats(one.momentum);
        const SgdValue value{floats(one.parameter), floats(one.gradient), velocity, scalarsOf(rule),
                             updateStateIn(state)};
        listed(list, value, countOf(one.parameter), kUpdating);
    }
    finishList(list, kUpdating);
}

void CudaBackend::adam(const Tensor& parameter, const Tensor& gradient, const Tensor& firstMoment,
                       const Tensor& secondMoment, const AdamRule& rule, const Tensor& state) {
    const AdamTensors one{parameter, gradient, firstMoment, secondMoment};
    adamAll({&one, 1}, rule, state);
}

void CudaBackend::adamAll(std::span<const AdamTensors> parameters, const AdamRule& rule, const Tensor& state) {
    ValueList<AdamValue> list;
    for (const AdamTensors& one : parameters) {
        const AdamValue value{floats(one.parameter),    floats(one.gradient), floats(one.firstMoment),
                              floats(one.secondMoment), scalarsOf(rule),      updateStateIn(state)};
        listed(list, value, countOf(one.parameter), kUpdating);
    }
    finishList(list, kUpdating);
}

}  // namespace ringside
