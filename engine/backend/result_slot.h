// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "tensor/tensor.h"

namespace ringside {

// Page-locked host memory for the results of one step. The device copies results into the slot when all work that was
// enqueued before is done, so that the host can launch the next step before it reads the results. The results are read
// in the order in which they were added. Used by one thread.
class ResultSlot {
  public:
    static constexpr std::size_t kNormParts = 256;

    virtual ~ResultSlot() = default;
    virtual void begin() = 0;  // discards the content of the slot
    // Enqueues a copy of from.bytes() bytes after all work that is enqueued on the device.
    virtual void add(const Tensor& from) = 0;
    // Enqueues the computation of kNormParts partial sums of the squares of floats, and adds the sums to the slot as
    // doubles. Their total, added in order, is bit-identical to Backend::squaredNorm().
    virtual void addSquares(const Tensor& from) = 0;
    virtual void end() = 0;  // marks the end of the copies into the slot
    // Blocks until all copies into the slot have finished.
    virtual void wait() = 0;
    // Returns the next result in the slot, aligned to 64 bytes. Call after wait(). Valid until the next begin().
    virtual std::span<const std::byte> next() = 0;

    template <class Value>
    std::span<const Value> nextValues() {
        const std::span<const std::byte> bytes = next();
        return {reinterpret_cast<const Value*>(bytes.data()), bytes.size() / sizeof(Value)};
    }
};

}  // namespace ringside
