// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cudnn/cudnn_descriptor.h"

#include <algorithm>

#include "base/errors/errors.h"

namespace ringside::cuda {

void checkCudnn(cudnnStatus_t status, const std::string& doing) {
    if (status != CUDNN_STATUS_SUCCESS)
        throw DeviceError("cuDNN failed while " + doing + ": " + cudnnGetErrorString(status));
}

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    checkCudnn(cudnnBackendCreateDescriptor(type, &made), "creating the description of a convolution");
    m_descriptor.reset(made);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    cudnnBackendDescriptor_t raw = value.get();
    setRaw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
    setRaw(name, CUDNN_TYPE_HANDLE, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
    setRaw(name, CUDNN_TYPE_INT64, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, float value) {
    setRaw(name, CUDNN_TYPE_FLOAT, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values) {
    setRaw(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const std::vector<void*>& values) {
    setRaw(name, CUDNN_TYPE_VOID_PTR, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::setRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                             const void* values) {
    checkCudnn(cudnnBackendSetAttribute(m_descriptor.get(), name, type, count, values),
               "setting attribute " + std::to_string(static_cast<int>(name)));
}

void CudnnDescriptor::finalize() {
    checkCudnn(cudnnBackendFinalize(m_descriptor.get()), "completing the description of a convolution");
}

bool CudnnDescriptor::tryFinalize() {
    return cudnnBackendFinalize(m_descriptor.get()) == CUDNN_STATUS_SUCCESS;
}

std::int64_t CudnnDescriptor::number(cudnnBackendAttributeName_t name) const {
    std::int64_t value = 0;
    getRaw(name, CUDNN_TYPE_INT64, 1, &value);
    return value;
}

void CudnnDescriptor::copyTo(cudnnBackendAttributeName_t name, CudnnDescriptor& target) const {
    cudnnBackendDescriptor_t raw = target.get();
    getRaw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

std::vector<CudnnDescriptor> CudnnDescriptor::descriptors(cudnnBackendAttributeName_t name,
                                                          cudnnBackendDescriptorType_t type) const {
    std::int64_t count = 0;
    checkCudnn(cudnnBackendGetAttribute(m_descriptor.get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
               "counting the execution plans of a convolution");
    std::vector<CudnnDescriptor> found;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < count; ++i) raw.push_back(found.emplace_back(type).get());
    const std::size_t filled = count == 0 ? 0 : getRaw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, raw.size(), raw.data());
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(filled), found.end());
    return found;
}

std::size_t CudnnDescriptor::getRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                    std::size_t capacity, void* values) const {
    std::int64_t count = 0;
    checkCudnn(
        cudnnBackendGetAttribute(m_descriptor.get(), name, type, static_cast<std::int64_t>(capacity), &count, values),
        "reading attribute " + std::to_string(static_cast<int>(name)));
    return std::min(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), capacity);
}

}  // namespace ringside::cuda
