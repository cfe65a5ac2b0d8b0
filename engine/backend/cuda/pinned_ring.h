// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "backend/cuda/cuda_device.h"

namespace ringside::cuda {

// Uploads through a ring of page-locked slots and a copy stream of their own, so that the CPU may fill the next batch
// while this one travels. An upload starts after the compute stream's earlier work (which may still read its target)
// and comes before its later work.
class PinnedRing {
  public:
    static constexpr std::size_t kSlotBytes = 4U << 20;
    static constexpr std::size_t kSlots = 4;

    PinnedRing(const CudaDevice& device, cudaStream_t compute, std::chrono::milliseconds deadline);

    // Any size: what is larger than a slot goes in pieces. `from` is free again when it returns.
    void upload(const void* from, void* to, std::size_t bytes);
    cudaStream_t copyStream() const { return m_copies.get(); }

  private:
    struct Slot {
        UniquePinnedMemory memory;
        UniqueEvent sent;
        bool used = false;
    };

    void send(const std::byte* from, std::byte* to, std::size_t bytes);
    void waitUntilSent(Slot& slot);

    const CudaDevice& m_device;
    cudaStream_t m_compute;
    std::chrono::milliseconds m_deadline;
    UniqueStream m_copies;
    UniqueEvent m_computeDone;
    UniqueEvent m_copyDone;
    std::array<Slot, kSlots> m_slots;
    std::size_t m_next = 0;
};

}  // namespace ringside::cuda
