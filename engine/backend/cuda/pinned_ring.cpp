// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/pinned_ring.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "base/errors.h"

namespace ringside::cuda {

PinnedRing::PinnedRing(const CudaDevice& device, cudaStream_t compute, std::chrono::milliseconds deadline)
    : m_device(device),
      m_compute(compute),
      m_deadline(deadline),
      m_copies(device.makeStream()),
      m_computeDone(device.makeEvent()),
      m_copyDone(device.makeEvent()) {
    for (Slot& slot : m_slots) {
        slot.memory = device.allocatePinned(kSlotBytes);
        slot.sent = device.makeEvent();
    }
}

void PinnedRing::upload(const void* from, void* to, std::size_t bytes) {
    m_device.check(cudaEventRecord(m_computeDone.get(), m_compute), "uploading");
    m_device.check(cudaStreamWaitEvent(m_copies.get(), m_computeDone.get(), 0), "uploading");
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    for (std::size_t done = 0; done < bytes; done += kSlotBytes)
        send(source + done, target + done, std::min(kSlotBytes, bytes - done));
    m_device.check(cudaEventRecord(m_copyDone.get(), m_copies.get()), "uploading");
    m_device.check(cudaStreamWaitEvent(m_compute, m_copyDone.get(), 0), "uploading");
}

void PinnedRing::send(const std::byte* from, std::byte* to, std::size_t bytes) {
    Slot& slot = m_slots[m_next];
    m_next = (m_next + 1) % kSlots;
    waitUntilSent(slot);
    std::memcpy(slot.memory.get(), from, bytes);
    m_device.check(cudaMemcpyAsync(to, slot.memory.get(), bytes, cudaMemcpyHostToDevice, m_copies.get()), "uploading");
    m_device.check(cudaEventRecord(slot.sent.get(), m_copies.get()), "uploading");
    slot.used = true;
}

void PinnedRing::waitUntilSent(Slot& slot) {
    if (!slot.used) return;
    const auto end = std::chrono::steady_clock::now() + m_deadline;
    for (;;) {
        const cudaError_t state = cudaEventQuery(slot.sent.get());
        if (state == cudaSuccess) return;
        if (state != cudaErrorNotReady) m_device.check(state, "uploading");
        if (std::chrono::steady_clock::now() >= end)
            throw DeviceError(m_device.name() + " did not take a batch within " +
                              std::to_string(m_deadline.count() / 1000) + " s: see dmesg for Xid messages");
        sched_yield();
    }
}

}  // namespace ringside::cuda
