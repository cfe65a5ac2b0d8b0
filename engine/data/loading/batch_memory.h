// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace ringside {

// Where a loader's batches are put together. A device that copies faster from memory of its own kind (page-locked, for
// a GPU) brings it; a loader asks for all of it before it loads, from one thread.
class BatchMemory {
  public:
    virtual ~BatchMemory() = default;
    // 64-byte aligned; lives as long as this object.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual bool pinned() const { return false; }  // page-locked
};

std::unique_ptr<BatchMemory> makeHostMemory();  // ordinary memory

}  // namespace ringside
