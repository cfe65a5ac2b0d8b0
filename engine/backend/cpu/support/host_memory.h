// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace ringside {

// Allocator of the CPU backend's tensors and of oneDNN's working memory. Tests use an allocator that puts guards around
// each block.
class HostMemory {
  public:
    virtual ~HostMemory() = default;
    // Returns a 64-byte aligned block, or null if memory is exhausted.
    virtual void* take(std::size_t bytes) = 0;
    virtual void releaseMemory(void* memory) noexcept = 0;
};

// Returns the allocator that uses the heap.
HostMemory& plainHostMemory();

// Block of an allocator's memory, freed by the destructor. The allocator must outlive it.
class HostBlock {
  public:
    HostBlock() = default;
    HostBlock(HostMemory& owner, std::size_t bytes) : m_memory(owner.take(bytes), ReleaseMemory{&owner}) {}
    void* data() const { return m_memory.get(); }

  private:
    struct ReleaseMemory {
        HostMemory* owner;
        void operator()(void* memory) const noexcept { owner->releaseMemory(memory); }
    };
    std::unique_ptr<void, ReleaseMemory> m_memory{nullptr, ReleaseMemory{nullptr}};
};

}  // namespace ringside
