// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "data/loading/batch_memory.h"
#include "tensor/gpu_runtime.h"

namespace ringside {

// Page-locked host memory for batches. A GPU can copy from it while the CPU continues to work.
class PinnedMemory final : public BatchMemory {
  public:
    explicit PinnedMemory(std::shared_ptr<GpuRuntime> runtime) : m_runtime(std::move(runtime)) {}
    ~PinnedMemory() override;
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    std::byte* allocate(std::size_t bytes) override;  // allocates page-locked memory; throws DeviceError
    bool pinned() const override { return true; }

  private:
    std::shared_ptr<GpuRuntime> m_runtime;
    std::vector<void*> m_blocks;
};

}  // namespace ringside
