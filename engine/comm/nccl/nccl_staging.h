// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "comm/communicator.h"
#include "tensor/gpu_runtime.h"

namespace ringside {

// Device memory through which collectives on host memory are copied.
class NcclStaging {
  public:
    // device and stream must outlive this object.
    NcclStaging(GpuRuntime& device, DeviceStream stream) : m_device(device), m_stream(stream) {}

    // Returns the number of bytes that a buffer occupies in the staging memory, including padding.
    static std::size_t bytesOf(CommBuffer buffer);
    void reserve(std::size_t bytes);  // grows the memory to at least `bytes`; no work may be in progress on the stream
                                      // if the memory grows
    // Returns the device address at this offset of the staging memory. withContent: also enqueues a copy of the buffer
    // to this address.
    void* stage(CommBuffer buffer, std::size_t offset, bool withContent);
    void release();  // frees the memory; no work may be in progress on the stream

  private:
    GpuRuntime& m_device;
    DeviceStream m_stream;
    void* m_memory = nullptr;
    std::size_t m_bytes = 0;
};

}  // namespace ringside
