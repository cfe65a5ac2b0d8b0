// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/cuda/device/cuda_device.h"

namespace ringside::cuda {

// Scratch memory that grows to the largest size requested until now. Smaller blocks used before are not freed, because
// work in flight and recorded steps may still use them.
class GrowingMemory {
  public:
    GrowingMemory(const CudaDevice& device, std::string what) : m_device(device), m_what(std::move(what)) {}

    template <class Value>
    Value* atLeast(std::size_t count) {
        if (m_pieces.empty() || count * sizeof(Value) > m_bytes) {
            m_pieces.push_back(m_device.allocate(count * sizeof(Value), m_what));
            m_bytes = count * sizeof(Value);
        }
        return static_cast<Value*>(m_pieces.back().get());
    }

  private:
    const CudaDevice& m_device;
    std::string m_what;
    std::size_t m_bytes = 0;
    std::vector<UniqueDeviceMemory> m_pieces;
};

}  // namespace ringside::cuda
