// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace ringside {

// Allocator of the memory for a loader's batches. A device provides its own allocator if it can copy faster from
// special host memory (for a GPU: page-locked memory). Called from one thread only, at the start of an epoch.
class BatchMemory {
  public:
    virtual ~BatchMemory() = default;
    // Returns 64-byte aligned memory. This object owns it and frees it when destroyed.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual bool pinned() const { return false; }  // true if the memory is page-locked
};

std::unique_ptr<BatchMemory> makeHostMemory();  // returns ordinary pageable memory

}  // namespace ringside
