// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/support/host_memory.h"

namespace ringside::cpu {

// What oneDNN's primitives work in, one after the other: as large as the largest of them asks for.
class Scratchpad {
  public:
    explicit Scratchpad(HostMemory& memory) : m_memory(memory) {}

    HostMemory& memory() const { return m_memory; }
    // The last `bytes` of it, so that each use ends where the block does and a guard behind the block sees every
    // overrun. Null where memory ran out.
    void* last(std::size_t bytes);

  private:
    HostMemory& m_memory;
    HostBlock m_block;
    std::size_t m_bytes = 0;
};

}  // namespace ringside::cpu
