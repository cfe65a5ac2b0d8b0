// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/system/unique_handle.h"

namespace ringside::cuda {

// Throws DeviceError with the status of a failed call of cuDNN.
void checkCudnn(cudnnStatus_t status, const std::string& doing);

// Owner of one descriptor of cuDNN's graph API. Members throw DeviceError if cuDNN refuses a value.
class CudnnDescriptor {
  public:
    explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);

    cudnnBackendDescriptor_t get() const { return m_descriptor.get(); }

    void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
    void set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
    void set(cudnnBackendAttributeName_t name, std::int64_t value);
    void set(cudnnBackendAttributeName_t name, float value);
    void set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values);
    void set(cudnnBackendAttributeName_t name, const std::vector<void*>& values);
    // Sets an attribute to `count` values of one of cuDNN's enumerations, or to a text of `count` characters. `type` is
    // cuDNN's constant for the C++ type Value.
    template <class Value>
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const Value* values,
             std::size_t count) {
        setRaw(name, type, static_cast<std::int64_t>(count), values);
    }

    // Completes the descriptor, which cannot be changed afterwards.
    void finalize();
    // Completes the descriptor. Returns false if cuDNN does not support the described operation or plan.
    bool tryFinalize();

    // Returns the value of an attribute that holds one number.
    std::int64_t number(cudnnBackendAttributeName_t name) const;
    // Returns the values of an attribute whose type is one of cuDNN's enumerations: the first 32 at most.
    template <class Value>
    std::vector<Value> values(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const {
        std::vector<Value> found(32);
        found.resize(getRaw(name, type, found.size(), found.data()));
        return found;
    }
    // Copies the attribute, which is itself a descriptor, to `target`, which must have been made with the attribute's
    // type.
    void copyTo(cudnnBackendAttributeName_t name, CudnnDescriptor& target) const;
    // Returns all descriptors of this type that the attribute holds.
    std::vector<CudnnDescriptor> descriptors(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type) const;

  private:
    struct Traits {
        using Handle = cudnnBackendDescriptor_t;
        static Handle none() { return nullptr; }
        static void close(Handle descriptor) noexcept { cudnnBackendDestroyDescriptor(descriptor); }
    };
    void setRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                const void* values);
    std::size_t getRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::size_t capacity,
                       void* values) const;

    UniqueHandle<Traits> m_descriptor;
};

}  // namespace ringside::cuda
