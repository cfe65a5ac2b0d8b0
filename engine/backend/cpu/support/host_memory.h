// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace ringside {

// Where the CPU backend takes its memory from: tensors, and what oneDNN works in. Tests put guards around each piece.
class HostMemory {
  public:
    virtual ~HostMemory() = default;
    // 64-byte aligned; null where there is no more.
    virtual void* take(std::size_t bytes) = 0;
    virtual void giveBack(void* memory) noexcept = 0;
};

// The heap.
HostMemory& plainHostMemory();

// A piece of it, given back at the end.
class HostBlock {
  public:
    HostBlock() = default;
    HostBlock(HostMemory& owner, std::size_t bytes) : m_memory(owner.take(bytes), GiveBack{&owner}) {}
    void* data() const { return m_memory.get(); }

  private:
    struct GiveBack {
        HostMemory* owner;
        void operator()(void* memory) const noexcept { owner->giveBack(memory); }
    };
    std::unique_ptr<void, GiveBack> m_memory{nullptr, GiveBack{nullptr}};
};

}  // namespace ringside
