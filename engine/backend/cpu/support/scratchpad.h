// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/support/host_memory.h"

namespace ringside::cpu {

// Working memory of oneDNN's primitives, which run one after the other. Its size is the largest size that was requested
// from last() until now.
class Scratchpad {
  public:
    explicit Scratchpad(HostMemory& memory) : m_memory(memory) {}

    HostMemory& memory() const { return m_memory; }
    // Returns the last `bytes` bytes of the block, so that a guard behind the block detects every overrun. Returns null
    // if memory is exhausted.
    void* last(std::size_t bytes);

  private:
    HostMemory& m_memory;
    HostBlock m_block;
    std::size_t m_bytes = 0;
};

}  // namespace ringside::cpu
