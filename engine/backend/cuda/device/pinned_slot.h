// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "backend/cuda/device/pinned_ring.h"
#include "backend/result_slot.h"

namespace ringside::cuda {

// Callbacks that the owner of a PinnedSlot provides.
struct SlotFunctions {
    // Called repeatedly during wait(); may throw, for example because a collective failed.
    std::function<void()> meanwhile;
    // Called by addSquares() to enqueue on the compute stream the computation of the partial sums of squares of
    // `values`, which are written to `parts`.
    std::function<void(const Tensor& values, double* parts)> sumSquares;
};

// Results of a step in page-locked host memory. They are copied there on the compute stream. wait() polls a CUDA event
// that end() records after the copies.
class PinnedSlot final : public ResultSlot {
  public:
    PinnedSlot(RingParts parts, std::size_t bytes, SlotFunctions functions);
    ~PinnedSlot() override;
    PinnedSlot(const PinnedSlot&) = delete;
    PinnedSlot& operator=(const PinnedSlot&) = delete;

    void begin() override;
    void add(const Tensor& from) override;
    void addSquares(const Tensor& from) override;
    void end() override;
    void wait() override;
    std::span<const std::byte> next() override;

  private:
    RingParts m_parts;
    std::size_t m_capacity;
    SlotFunctions m_functions;
    std::byte* m_memory;
    DeviceEvent m_copied;
    std::vector<void*> m_sums;  // device memory for the partial sums of each call of addSquares() in a step
    std::size_t m_nextSums = 0;
    std::vector<std::span<const std::byte>> m_pieces;
    std::size_t m_used = 0;
    std::size_t m_next = 0;  // index of the piece that next() returns
};

}  // namespace ringside::cuda
