// SPDX-License-Identifier: Apache-2.0
#include <cudnn.h>

#include <cstddef>
#include <map>
#include <utility>

#include "backend/cuda/cuda_convolution.h"
#include "backend/cuda/cudnn/convolution_plan.h"
#include "backend/cuda/device/growing_memory.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/tensor_access.h"
#include "base/errors/errors.h"

namespace ringside::cuda {
namespace {

// Divisor of the GPU's total memory: the quotient is the largest workspace that a convolution may use. Without tensor
// cores cuDNN's fast algorithms copy their images, so that a fixed limit would force large batches to use slow
// algorithms.
constexpr std::int64_t kWorkspaceShare = 8;

struct HandleTraits {
    using Handle = cudnnHandle_t;
    static Handle none() { return nullptr; }
    static void close(Handle handle) noexcept { cudnnDestroy(handle); }
};

UniqueHandle<HandleTraits> makeHandle(cudaStream_t stream) {
    cudnnHandle_t handle = nullptr;
    checkCudnn(cudnnCreate(&handle), "starting");
    UniqueHandle<HandleTraits> owned(handle);
    checkCudnn(cudnnSetStream(handle, stream), "starting");
    return owned;
}

std::int64_t workspaceBudget(const CudaDevice& gpu) {
    std::size_t free = 0;
    std::size_t total = 0;
    gpu.check(cudaMemGetInfo(&free, &total), "reading the size of the GPU's memory");
    return static_cast<std::int64_t>(total) / kWorkspaceShare;
}

// State that all convolutions of a backend share. The convolutions run one after the other on the backend's stream.
struct Cudnn {
    Cudnn(const CudaDevice& gpu, cudaStream_t computeStream, Precision wanted)
        : device(gpu),
          stream(computeStream),
          precision(wanted),
          handle(makeHandle(computeStream)),
          target(CudnnTarget::onGpu(handle.get())),
          budget(workspaceBudget(gpu)),
          workspace(gpu, "cuDNN's workspace"),
          x(gpu, "a convolution's images"),
          y(gpu, "a convolution's images"),
          weight(gpu, "a convolution's weights"),
          orderedWeight(gpu, "a convolution's weights"),
          sums(gpu, "column sums") {}

    const CudaDevice& device;
    cudaStream_t stream;
    Precision precision;
    UniqueHandle<HandleTraits> handle;
    CudnnTarget target;
    std::int64_t budget;      // maximum size of the workspace, in bytes
    GrowingMemory workspace;  // grows when cuDNN's execution plan is made, before the step is recorded as a CUDA graph
    GrowingMemory x;          // 16-bit copy of x, for 16-bit precisions
    GrowingMemory y;
    GrowingMemory weight;
    GrowingMemory orderedWeight;  // weight in channels-last order, float32
    GrowingMemory sums;
};

// Images, weights and results of one call, in device memory.
struct Operands {
    const void* x;
    const void* weight;
    const void* y;
};

class CudnnConvolution final : public Convolution {
  public:
    CudnnConvolution(Cudnn& cudnn, const ConvolutionSpec& spec) : m_cudnn(cudnn), m_spec(spec) {}

    void forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) override {
        const void* images = narrowed(x, m_cudnn.x);
        const void* filter = ordered(weight);
        void* result = place(y, m_cudnn.y);
        compute(ConvolutionPass::kForward, x.rows(), {images, filter, result});
        widened(y, result);
        if (bias) eachValue(countOf(y), BiasedValue{floats(y), floats(bias), outChannels()}, m_cudnn.stream);
        checkLaunches();
    }

    void backwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias) override {
        const void* images = narrowed(x, m_cudnn.x);
        const void* gradient = narrowed(gradY, m_cudnn.y);
        auto* ordered = m_cudnn.orderedWeight.atLeast<float>(countOf(gradWeight));
        void* result = isNarrow(m_cudnn.precision)
                           ? static_cast<void*>(m_cudnn.weight.atLeast<std::uint16_t>(countOf(gradWeight)))
                           : ordered;
        compute(ConvolutionPass::kParameters, x.rows(), {images, result, gradient});
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
        const void* filter = ordered(weight);
        const void* gradient = narrowed(gradY, m_cudnn.y);
        void* result = place(gradX, m_cudnn.x);
        compute(ConvolutionPass::kInput, gradY.rows(), {result, filter, gradient});
        widened(gradX, result);
        checkLaunches();
    }

  private:
    std::size_t outChannels() const { return static_cast<std::size_t>(m_spec.outChannels); }
    std::size_t inChannels() const { return static_cast<std::size_t>(m_spec.inChannels); }
    std::size_t taps() const { return static_cast<std::size_t>(m_spec.kernel * m_spec.kernel); }

    // Throws DeviceError if a launch of a kernel of Ringside before or after cuDNN's kernels has failed. Must be called
    // before the next query of the stream's state, which would clear the error.
    void checkLaunches() const { m_cudnn.device.check(cudaGetLastError(), "converting the tensors of a convolution"); }

    // Returns the values in the form that cuDNN reads: the tensor itself, or a 16-bit copy.
    const void* narrowed(const Tensor& values, GrowingMemory& scratch) {
        if (!isNarrow(m_cudnn.precision)) return values.data;
        auto* copy = scratch.atLeast<std::uint16_t>(countOf(values));
        narrow(floats(values), copy, countOf(values), m_cudnn.precision, m_cudnn.stream);
        return copy;
    }
    // Returns the memory into which cuDNN writes a result: the tensor's own, or scratch memory for a 16-bit result,
    // which widened() then converts to the tensor.
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

    // Computes one pass with the plan for this batch size. cuDNN takes all pointers as mutable, and writes only to the
    // pass's result.
    void compute(ConvolutionPass pass, std::int64_t batch, const Operands& operands) {
        const ConvolutionPlan& plan = planFor(pass, batch);
        CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
        pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
                 std::vector<std::int64_t>{static_cast<std::int64_t>(ConvolutionTensor::kX),
                                           static_cast<std::int64_t>(ConvolutionTensor::kWeight),
                                           static_cast<std::int64_t>(ConvolutionTensor::kY)});
        pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                 std::vector<void*>{const_cast<void*>(operands.x), const_cast<void*>(operands.weight),
                                    const_cast<void*>(operands.y)});
        pack.set(
            CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
            std::vector<void*>{m_cudnn.workspace.atLeast<std::byte>(static_cast<std::size_t>(plan.workspaceBytes))});
        pack.finalize();
        const cudnnStatus_t status = cudnnBackendExecute(m_cudnn.handle.get(), plan.descriptor.get(), pack.get());
        if (status != CUDNN_STATUS_SUCCESS)
            throw DeviceError(m_cudnn.device.name() +
                              ": cuDNN failed while computing a convolution: " + cudnnGetErrorString(status));
    }

    // Returns the plan of a pass, which is made when the pass is first used with this batch size.
    const ConvolutionPlan& planFor(ConvolutionPass pass, std::int64_t batch) {
        const auto known = m_plans.find({pass, batch});
        if (known != m_plans.end()) return known->second;
        auto plan = findConvolutionPlan(m_cudnn.target, {pass, m_spec, batch, m_cudnn.precision}, m_cudnn.budget);
        if (!plan) throw DeviceError(noPlanText(batch));
        return m_plans.emplace(std::pair(pass, batch), std::move(*plan)).first->second;
    }

    std::string noPlanText(std::int64_t batch) const {
        return m_cudnn.device.name() + ": cuDNN has no deterministic algorithm within " +
               std::to_string(m_cudnn.budget >> 20) + " MiB of workspace for a convolution of " +
               std::to_string(m_spec.inChannels) + " to " + std::to_string(m_spec.outChannels) + " channels over " +
               std::to_string(batch) + " images of " + std::to_string(m_spec.height) + " x " +
               std::to_string(m_spec.width) +
               " pixels: lower loader.batch_size, or set parallel.device to cpu, or training.precision to fp32";
    }

    Cudnn& m_cudnn;
    ConvolutionSpec m_spec;
    std::map<std::pair<ConvolutionPass, std::int64_t>, ConvolutionPlan> m_plans;  // plans by pass and batch size
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

// Since cuDNN 9, cudnnGetVersion() returns major * 10000 + minor * 100 + patch.
std::string cudnnVersion() {
    const std::size_t version = cudnnGetVersion();
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

}  // namespace ringside::cuda
