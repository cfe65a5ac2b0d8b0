// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "backend/backend.h"

namespace ringside {

// Memory for small results of a step, such as losses and sums of squares, in a place where the device's operations and
// collectives can write them. On a CPU this memory is not counted in Backend::memory(), whose numbers are predicted for
// layers and parameters.
class StepMemory {
  public:
    // onDevice: false for a backend that computes in host memory. The backend must outlive the tensors.
    StepMemory(Backend& backend, bool onDevice) : m_backend(backend), m_onDevice(onDevice) {}

    // Returns zeroed tensors that live as long as this object and the backend.
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
