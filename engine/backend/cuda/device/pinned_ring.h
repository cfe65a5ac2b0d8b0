// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/uploader.h"
#include "base/time/clock.h"
#include "tensor/gpu_runtime.h"

namespace ringside::cuda {

// Dependencies of a PinnedRing.
struct RingParts {
    std::shared_ptr<GpuRuntime> runtime;
    std::shared_ptr<const Clock> clock;
    DeviceStream compute = nullptr;
    std::string gpu;  // name of the GPU for error messages
    std::chrono::milliseconds deadline{60000};
    std::size_t slotCount = 4;         // number of page-locked slots of a ring
    std::size_t slotBytes = 4U << 20;  // size of each slot
};

// Uploads batches on a separate copy stream, in parallel with the compute stream: directly from page-locked memory, or
// through a ring of page-locked slots, in which case the source may be changed as soon as start() returns.
class PinnedRing final : public Uploader {
  public:
    // pinned: true if the sources lie in page-locked memory.
    PinnedRing(RingParts parts, bool pinned);
    ~PinnedRing() override;
    PinnedRing(const PinnedRing&) = delete;
    PinnedRing& operator=(const PinnedRing&) = delete;

    // Starts an upload of any size. If it goes through slots, the source is copied in pieces of the slots' size.
    void start(const void* from, const Tensor& to) override;
    void join() override;
    void waitForSources() override;

  private:
    struct Slot {
        void* memory = nullptr;  // page-locked memory of the slot, allocated at its first use
        DeviceEvent sent = nullptr;
    };

    void copyThroughSlots(const std::byte* from, std::byte* to, std::size_t bytes);
    void send(const std::byte* from, std::byte* to, std::size_t bytes);
    void waitUntil(DeviceEvent event) const;

    RingParts m_parts;
    bool m_pinned;
    DeviceStream m_copies;
    DeviceEvent m_computeDone;
    DeviceEvent m_copied;
    bool m_started = false;
    std::vector<Slot> m_slots;
    std::size_t m_next = 0;
};

}  // namespace ringside::cuda
