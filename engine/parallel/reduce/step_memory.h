// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "backend/backend.h"

namespace ringside {

// Memory for small results of a step, such as losses and sums of squares, that operations and collectives of the device
// can write. On a CPU, Backend::memory() does not count this memory, because the predicted memory contains only layers
// and parameters.
class StepMemory {
  public:
    // onDevice: true to allocate on the backend's device; false to allocate in host memory, which is sufficient if the
    // backend computes there. The backend must outlive the tensors.
    StepMemory(Backend& backend, bool onDevice) : m_backend(backend), m_onDevice(onDevice) {}

    // Return tensors filled with zeros. They are valid as long as this object and the backend exist.
    Tensor allocate(std::int64_t count, DType type) {
        if (m_onDevice) return m_backend.allocate({count}, type);
        const Tensor sized{nullptr, {count}, type, m_backend.device()};
        auto& memory = m_host.emplace_back(sized.bytes() / sizeof(double) + 1);
        return {memory.data(), sized.shape, sized.type, sized.device};
    }
    Tensor allocateDoubles(std::int64_t count) {
        return allocate(count * static_cast<std::int64_t>(sizeof(double)), DType::kUInt8);
    }

  private:
    Backend& m_backend;
    bool m_onDevice;
    std::deque<std::vector<double>> m_host;
};

}  // namespace ringside
