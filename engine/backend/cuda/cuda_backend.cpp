// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_backend.h"

#include <algorithm>
#include <cstring>

#include "backend/cuda/kernels.h"
#include "backend/cuda/sgd_scalars.h"
#include "base/errors.h"

namespace ringside {
namespace {

constexpr std::size_t kLandingBytes = 1U << 20;

float* floats(const Tensor& tensor) {
    return static_cast<float*>(tensor.data);
}

std::size_t countOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.count());
}

std::size_t rowsOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.rows());
}

std::size_t columnsOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.shape.countPerRow());
}

}  // namespace

CudaBackend::CudaBackend(const CudaOptions& options)
    : m_device(options.device),
      m_options(options),
      m_stream(m_device.makeStream()),
      m_products(m_device, options.tf32),
      m_uploads(m_device, m_stream.get(), options.deadline),
      m_landing(m_device.allocatePinned(kLandingBytes)),
      m_normParts(m_device.allocate(cuda::kNormBlocks * sizeof(double), "partial sums")) {}

std::string CudaBackend::name() const {
    return m_options.label.empty() ? m_device.name() : m_device.name() + ", " + m_options.label;
}

void CudaBackend::checkLaunch(const char* doing) const {
    m_device.check(cudaGetLastError(), doing);
}

Tensor CudaBackend::allocate(const Shape& shape, DType type) {
    Tensor tensor{nullptr, shape, type, device()};
    m_memory.push_back(m_device.allocate(tensor.bytes(), "a tensor of shape " + shape.text()));
    tensor.data = m_memory.back().get();
    return tensor;
}

void CudaBackend::upload(const void* from, const Tensor& to) {
    m_uploads.upload(from, to.data, to.bytes());
}

// A copy to ordinary memory would wait inside CUDA, where nobody looks after a collective before it: small results
// land in page-locked memory, large ones are copied once the stream is known to be empty.
void CudaBackend::download(const Tensor& from, void* to) {
    const std::size_t bytes = from.bytes();
    if (bytes > kLandingBytes) {
        synchronize();
        m_device.check(cudaMemcpy(to, from.data, bytes, cudaMemcpyDeviceToHost), "downloading");
        return;
    }
    m_device.check(cudaMemcpyAsync(m_landing.get(), from.data, bytes, cudaMemcpyDeviceToHost, m_stream.get()),
                   "downloading");
    synchronize();
    std::memcpy(to, m_landing.get(), bytes);
}

void CudaBackend::synchronize() {
    m_device.wait(m_stream.get(), m_options.deadline, m_meanwhile);
}

void CudaBackend::fill(const Tensor& tensor, float value) {
    cuda::fill(floats(tensor), countOf(tensor), value, m_stream.get());
    checkLaunch("filling");
}

void CudaBackend::copy(const Tensor& from, const Tensor& to) {
    m_device.check(cudaMemcpyAsync(to.data, from.data, from.bytes(), cudaMemcpyDeviceToDevice, m_stream.get()),
                   "copying");
}

void CudaBackend::scale(const Tensor& tensor, float factor) {
    cuda::scale(floats(tensor), countOf(tensor), factor, m_stream.get());
    checkLaunch("scaling");
}

double CudaBackend::squaredNorm(const Tensor& tensor) {
    auto* parts = static_cast<double*>(m_normParts.get());
    cuda::squaredNormParts(floats(tensor), countOf(tensor), parts, m_stream.get());
    checkLaunch("summing squares");
    auto* landed = static_cast<double*>(m_landing.get());
    m_device.check(
        cudaMemcpyAsync(landed, parts, cuda::kNormBlocks * sizeof(double), cudaMemcpyDeviceToHost, m_stream.get()),
        "summing squares");
    synchronize();
    double sum = 0;
    for (int i = 0; i < cuda::kNormBlocks; ++i) sum += landed[i];
    return sum;
}

void CudaBackend::linearForward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
    m_products.forward(floats(x), floats(weight), floats(bias), floats(y), x.rows(), weight.shape[1], weight.shape[0],
                       m_stream.get());
}

void CudaBackend::linearBackwardParameters(const Tensor& x, const Tensor& gradY, const Tensor& gradWeight,
                                           const Tensor& gradBias) {
    m_products.backwardParameters(floats(x), floats(gradY), floats(gradWeight), floats(gradBias), x.rows(),
                                  gradWeight.shape[1], gradWeight.shape[0], m_stream.get());
}

void CudaBackend::linearBackwardInput(const Tensor& gradY, const Tensor& weight, const Tensor& gradX) {
    m_products.backwardInput(floats(gradY), floats(weight), floats(gradX), gradY.rows(), weight.shape[1],
                             weight.shape[0], m_stream.get());
}

void CudaBackend::reluForward(const Tensor& x, const Tensor& y) {
    cuda::relu(floats(x), floats(y), countOf(x), m_stream.get());
    checkLaunch("computing ReLU");
}

void CudaBackend::reluBackward(const Tensor& y, const Tensor& gradY, const Tensor& gradX) {
    cuda::reluGradient(floats(y), floats(gradY), floats(gradX), countOf(y), m_stream.get());
    checkLaunch("computing ReLU's gradient");
}

void CudaBackend::softmaxCrossEntropy(const Tensor& logits, const Tensor& labels, const Tensor& rowLoss,
                                      const Tensor& rowCorrect, const Tensor& gradient) {
    cuda::softmaxCrossEntropy(floats(logits), static_cast<const std::int64_t*>(labels.data), rowsOf(logits),
                              columnsOf(logits), floats(rowLoss), floats(rowCorrect), floats(gradient), m_stream.get());
    checkLaunch("computing the cross-entropy");
}

void CudaBackend::meanSquaredError(const Tensor& prediction, const Tensor& target, const Tensor& rowLoss,
                                   const Tensor& gradient) {
    cuda::meanSquaredError(floats(prediction), floats(target), rowsOf(prediction), columnsOf(prediction),
                           floats(rowLoss), floats(gradient), m_stream.get());
    checkLaunch("computing the squared error");
}

void CudaBackend::argmax(const Tensor& values, const Tensor& indices) {
    cuda::argmax(floats(values), rowsOf(values), columnsOf(values), static_cast<std::int64_t*>(indices.data),
                 m_stream.get());
    checkLaunch("finding the largest logits");
}

void CudaBackend::sgd(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum, const SgdStep& step) {
    cuda::sgd(floats(parameter), floats(gradient), floats(momentum), countOf(parameter), cuda::scalarsOf(step),
              m_stream.get());
    checkLaunch("updating parameters");
}

}  // namespace ringside
