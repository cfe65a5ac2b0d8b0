// SPDX-License-Identifier: Apache-2.0
#include <cudnn.h>

#include <array>
#include <limits>
#include <map>

#include "backend/cuda/cuda_convolution.h"
#include "backend/cuda/device/growing_memory.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/tensor_access.h"
#include "base/errors/errors.h"

namespace ringside::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = 64U << 20;
constexpr float kOne = 1;
constexpr float kZero = 0;

template <class Descriptor, cudnnStatus_t (*destroy)(Descriptor)>
struct DescriptorTraits {
    using Handle = Descriptor;
    static Handle none() { return nullptr; }
    static void close(Handle descriptor) noexcept { destroy(descriptor); }
};
using UniqueCudnn = UniqueHandle<DescriptorTraits<cudnnHandle_t, cudnnDestroy>>;
using UniqueImages = UniqueHandle<DescriptorTraits<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>>;
using UniqueFilter = UniqueHandle<DescriptorTraits<cudnnFilterDescriptor_t, cudnnDestroyFilterDescriptor>>;
using UniqueOperation = UniqueHandle<DescriptorTraits<cudnnConvolutionDescriptor_t, cudnnDestroyConvolutionDescriptor>>;

cudnnDataType_t typeOf(Precision precision) {
    if (precision == Precision::kBfloat16) return CUDNN_DATA_BFLOAT16;
    return precision == Precision::kFloat16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
}

// Returns cuDNN's math type. CUDNN_FMA_MATH prevents the use of TF32.
cudnnMathType_t mathOf(Precision precision) {
    if (precision == Precision::kFloat32) return CUDNN_FMA_MATH;
    return isNarrow(precision) ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH;
}

int toInt(std::int64_t size) {
    if (size > std::numeric_limits<int>::max())
        throw DeviceError("a convolution's dimension of " + std::to_string(size) +
                          " is more than cuDNN takes (2147483647): choose a smaller image or model.width");
    return static_cast<int>(size);
}

// State that all convolutions of a backend share. They run one after the other on its stream.
struct Cudnn {
    Cudnn(const CudaDevice& gpu, cudaStream_t computeStream, Precision wanted)
        : device(gpu),
          stream(computeStream),
          precision(wanted),
          workspace(gpu.allocate(kWorkspaceBytes, "cuDNN's workspace")),
          x(gpu, "a convolution's images"),
          y(gpu, "a convolution's images"),
          weight(gpu, "a convolution's weights"),
          orderedWeight(gpu, "a convolution's weights"),
          sums(gpu, "column sums") {
        cudnnHandle_t handle = nullptr;
        check(cudnnCreate(&handle), "starting");
        api.reset(handle);
        check(cudnnSetStream(handle, stream), "starting");
    }

    void check(cudnnStatus_t status, const char* doing) const {
        if (status != CUDNN_STATUS_SUCCESS)
            throw DeviceError(device.name() + ": cuDNN failed while " + doing + ": " + cudnnGetErrorString(status));
    }

    const CudaDevice& device;
    cudaStream_t stream;
    Precision precision;
    UniqueCudnn api;
    UniqueDeviceMemory workspace;
    GrowingMemory x;  // 16-bit copies, for 16-bit precisions
    GrowingMemory y;
    GrowingMemory weight;
    GrowingMemory orderedWeight;  // channels-last, float32
    GrowingMemory sums;
};

// Algorithm with the math type for which it was found. An algorithm without tensor cores must run without them even if
// they are allowed.
template <class Algorithm>
struct Choice {
    Algorithm algorithm{};
    cudnnMathType_t math{};
};

// Descriptors and algorithms for one batch size.
struct BatchPlan {
    UniqueImages x;
    UniqueImages y;
    Choice<cudnnConvolutionFwdAlgo_t> forward;
    Choice<cudnnConvolutionBwdFilterAlgo_t> parameters;
    Choice<cudnnConvolutionBwdDataAlgo_t> input;
};

class CudnnConvolution final : public Convolution {
  public:
    CudnnConvolution(Cudnn& cudnn, const ConvolutionSpec& spec) : m_cudnn(cudnn), m_spec(spec) {
        cudnnFilterDescriptor_t filter = nullptr;
        m_cudnn.check(cudnnCreateFilterDescriptor(&filter), "describing weights");
        m_filter.reset(filter);
        m_cudnn.check(
            cudnnSetFilter4dDescriptor(filter, typeOf(m_cudnn.precision), CUDNN_TENSOR_NHWC, toInt(spec.outChannels),
                                       toInt(spec.inChannels), toInt(spec.kernel), toInt(spec.kernel)),
            "describing weights");
        cudnnConvolutionDescriptor_t operation = nullptr;
        m_cudnn.check(cudnnCreateConvolutionDescriptor(&operation), "describing a convolution");
        m_operation.reset(operation);
        const int padding = toInt(spec.padding);
        const int stride = toInt(spec.stride);
        m_cudnn.check(cudnnSetConvolution2dDescriptor(operation, padding, padding, stride, stride, 1, 1,
                                                      CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
                      "describing a convolution");
    }

    void forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) override {
        const BatchPlan& plan = planFor(x.rows());
        const void* images = narrowed(x, m_cudnn.x);
        const void* filter = ordered(weight);
        void* result = place(y, m_cudnn.y);
        m_cudnn.check(cudnnConvolutionForward(m_cudnn.api.get(), &kOne, plan.x.get(), images, m_filter.get(), filter,
                                              operation(plan.forward.math), plan.forward.algorithm,
                                              m_cudnn.workspace.get(), kWorkspaceBytes, &kZero, plan.y.get(), result),
                      "computing a convolution");
        widened(y, result);
        if (bias) eachValue(countOf(y), BiasedValue{floats(y), floats(bias), outChannels()}, m_cudnn.stream);
        checkLaunches();
    }

    void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias) override {
        const BatchPlan& plan = planFor(x.rows());
        const void* images = narrowed(x, m_cudnn.x);
        const void* gradient = narrowed(gradY, m_cudnn.y);
        auto* ordered = m_cudnn.orderedWeight.atLeast<float>(countOf(gradWeight));
        void* result = isNarrow(m_cudnn.precision)
                           ? static_cast<void*>(m_cudnn.weight.atLeast<std::uint16_t>(countOf(gradWeight)))
                           : ordered;
        m_cudnn.check(
            cudnnConvolutionBackwardFilter(m_cudnn.api.get(), &kOne, plan.x.get(), images, plan.y.get(), gradient,
                                           operation(plan.parameters.math), plan.parameters.algorithm,
                                           m_cudnn.workspace.get(), kWorkspaceBytes, &kZero, m_filter.get(), result),
            "computing a convolution's weight gradient");
        if (isNarrow(m_cudnn.precision))
            widen(static_cast<const std::uint16_t*>(result), ordered, countOf(gradWeight), m_cudnn.precision,
                  m_cudnn.stream);
        eachValue(countOf(gradWeight), TransposedValue{ordered, floats(gradWeight), taps(), inChannels()},
                  m_cudnn.stream);
        if (gradBias)
            eachColumn(countOf(gradY) / outChannels(), outChannels(), PlainTerm{floats(gradY), outChannels()},
                       PlainSum{floats(gradBias)}, m_cudnn.sums.atLeast<double>(columnPartials(outChannels())),
                       m_cudnn.stream);
        checkLaunches();
    }

    void backwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) override {
        const BatchPlan& plan = planFor(gradY.rows());
        const void* filter = ordered(weight);
        const void* gradient = narrowed(gradY, m_cudnn.y);
        void* result = place(gradX, m_cudnn.x);
        m_cudnn.check(
            cudnnConvolutionBackwardData(m_cudnn.api.get(), &kOne, m_filter.get(), filter, plan.y.get(), gradient,
                                         operation(plan.input.math), plan.input.algorithm, m_cudnn.workspace.get(),
                                         kWorkspaceBytes, &kZero, plan.x.get(), result),
            "computing a convolution's input gradient");
        widened(gradX, result);
        checkLaunches();
    }

  private:
    std::size_t outChannels() const { return static_cast<std::size_t>(m_spec.outChannels); }
    std::size_t inChannels() const { return static_cast<std::size_t>(m_spec.inChannels); }
    std::size_t taps() const { return static_cast<std::size_t>(m_spec.kernel * m_spec.kernel); }

    // Checks the launches of Ringside's kernels around cuDNN's. Their errors would be lost at the next query whether
    // the stream is ready.
    void checkLaunches() const { m_cudnn.device.check(cudaGetLastError(), "preparing a convolution"); }

    // Returns the convolution's descriptor, set to this math type for the next call.
    cudnnConvolutionDescriptor_t operation(cudnnMathType_t math) const {
        m_cudnn.check(cudnnSetConvolutionMathType(m_operation.get(), math), "describing a convolution");
        return m_operation.get();
    }

    // Returns the values in the form that cuDNN reads: the tensor itself, or a 16-bit copy.
    const void* narrowed(const Tensor& values, GrowingMemory& scratch) {
        if (!isNarrow(m_cudnn.precision)) return values.data;
        auto* copy = scratch.atLeast<std::uint16_t>(countOf(values));
        narrow(floats(values), copy, countOf(values), m_cudnn.precision, m_cudnn.stream);
        return copy;
    }
    // Returns the memory into which cuDNN writes a result; widened() then converts it to the tensor.
    void* place(const Tensor& values, GrowingMemory& scratch) {
        if (!isNarrow(m_cudnn.precision)) return values.data;
        return scratch.atLeast<std::uint16_t>(countOf(values));
    }
    void widened(const Tensor& values, const void* result) {
        if (isNarrow(m_cudnn.precision))
            widen(static_cast<const std::uint16_t*>(result), floats(values), countOf(values), m_cudnn.precision,
                  m_cudnn.stream);
    }
    // Returns the weights, reordered from PyTorch's (out,in,kernel,kernel) to the images' layout
    // (out,kernel,kernel,in).
    const void* ordered(const Tensor& weight) {
        auto* turned = m_cudnn.orderedWeight.atLeast<float>(countOf(weight));
        eachValue(countOf(weight), TransposedValue{floats(weight), turned, inChannels(), taps()}, m_cudnn.stream);
        if (!isNarrow(m_cudnn.precision)) return turned;
        auto* copy = m_cudnn.weight.atLeast<std::uint16_t>(countOf(weight));
        narrow(turned, copy, countOf(weight), m_cudnn.precision, m_cudnn.stream);
        return copy;
    }

    UniqueImages images(std::int64_t batch, std::int64_t channels, std::int64_t height, std::int64_t width) const {
        cudnnTensorDescriptor_t made = nullptr;
        m_cudnn.check(cudnnCreateTensorDescriptor(&made), "describing images");
        UniqueImages owned(made);
        m_cudnn.check(cudnnSetTensor4dDescriptor(made, CUDNN_TENSOR_NHWC, typeOf(m_cudnn.precision), toInt(batch),
                                                 toInt(channels), toInt(height), toInt(width)),
                      "describing images");
        return owned;
    }

    // Returns the fastest algorithm that is deterministic and fits into the workspace.
    template <class Found, std::size_t kCount>
    auto choose(const std::array<Found, kCount>& found, int count, cudnnStatus_t status) const {
        const bool exact = m_cudnn.precision == Precision::kFloat32;
        m_cudnn.check(status, "choosing an algorithm");
        for (int i = 0; i < count; ++i) {
            const Found& one = found[static_cast<std::size_t>(i)];
            const bool fits = one.status == CUDNN_STATUS_SUCCESS && one.memory <= kWorkspaceBytes;
            if (fits && one.determinism == CUDNN_DETERMINISTIC)
                return Choice<decltype(one.algo)>{one.algo, exact ? CUDNN_FMA_MATH : one.mathType};
        }
        throw DeviceError(m_cudnn.device.name() + ": cuDNN has no deterministic algorithm for a convolution of " +
                          std::to_string(m_spec.inChannels) + " to " + std::to_string(m_spec.outChannels) +
                          " channels over " + std::to_string(m_spec.height) + " x " + std::to_string(m_spec.width) +
                          " pixels: set parallel.device to cpu, or training.precision to fp32");
    }

    const BatchPlan& planFor(std::int64_t batch) {
        const auto known = m_plans.find(batch);
        if (known != m_plans.end()) return known->second;
        BatchPlan plan;
        plan.x = images(batch, m_spec.inChannels, m_spec.height, m_spec.width);
        plan.y = images(batch, m_spec.outChannels, m_spec.outHeight(), m_spec.outWidth());
        chooseAlgorithms(plan);
        return m_plans.emplace(batch, std::move(plan)).first->second;
    }

    void chooseAlgorithms(BatchPlan& plan) const {
        cudnnHandle_t api = m_cudnn.api.get();
        cudnnConvolutionDescriptor_t wanted = operation(mathOf(m_cudnn.precision));
        int count = 0;
        std::array<cudnnConvolutionFwdAlgoPerf_t, CUDNN_CONVOLUTION_FWD_ALGO_COUNT> forward{};
        cudnnStatus_t status =
            cudnnGetConvolutionForwardAlgorithm_v7(api, plan.x.get(), m_filter.get(), wanted, plan.y.get(),
                                                   static_cast<int>(forward.size()), &count, forward.data());
        plan.forward = choose(forward, count, status);
        std::array<cudnnConvolutionBwdFilterAlgoPerf_t, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT> parameters{};
        status = cudnnGetConvolutionBackwardFilterAlgorithm_v7(api, plan.x.get(), plan.y.get(), wanted, m_filter.get(),
                                                               static_cast<int>(parameters.size()), &count,
                                                               parameters.data());
        plan.parameters = choose(parameters, count, status);
        std::array<cudnnConvolutionBwdDataAlgoPerf_t, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT> input{};
        status = cudnnGetConvolutionBackwardDataAlgorithm_v7(api, m_filter.get(), plan.y.get(), wanted, plan.x.get(),
                                                             static_cast<int>(input.size()), &count, input.data());
        plan.input = choose(input, count, status);
    }

    Cudnn& m_cudnn;
    ConvolutionSpec m_spec;
    UniqueFilter m_filter;
    UniqueOperation m_operation;
    std::map<std::int64_t, BatchPlan> m_plans;  // by batch size
};

class CudnnMaker final : public ConvolutionMaker {
  public:
    CudnnMaker(const CudaDevice& device, cudaStream_t stream, Precision precision)
        : m_cudnn(device, stream, precision) {}
    std::unique_ptr<Convolution> make(const ConvolutionSpec& spec) override {
        return std::make_unique<CudnnConvolution>(m_cudnn, spec);
    }

  private:
    Cudnn m_cudnn;
};

}  // namespace

std::unique_ptr<ConvolutionMaker> makeConvolutionMaker(const CudaDevice& device, cudaStream_t stream,
                                                       Precision precision) {
    return std::make_unique<CudnnMaker>(device, stream, precision);
}

// Since cuDNN 9 the version number is major * 10000 + minor * 100 + patch.
std::string cudnnVersion() {
    const std::size_t version = cudnnGetVersion();
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

}  // namespace ringside::cuda
