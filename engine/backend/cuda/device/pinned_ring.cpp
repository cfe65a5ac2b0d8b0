// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/pinned_ring.h"

#include <algorithm>
#include <cstring>

#include "base/errors/errors.h"

namespace ringside::cuda {

PinnedRing::PinnedRing(RingParts parts, bool pinned)
    : m_parts(std::move(parts)),
      m_pinned(pinned),
      m_copies(m_parts.runtime->createStream()),
      m_computeDone(m_parts.runtime->createEvent()),
      m_copied(m_parts.runtime->createEvent()),
      m_slots(m_parts.slotCount) {}

PinnedRing::~PinnedRing() {
    GpuRuntime& runtime = *m_parts.runtime;
    for (const Slot& slot : m_slots) {
        if (slot.memory) runtime.releaseHost(slot.memory);
        if (slot.sent) runtime.destroyEvent(slot.sent);
    }
    runtime.destroyEvent(m_copied);
    runtime.destroyEvent(m_computeDone);
    runtime.destroyStream(m_copies);
}

void PinnedRing::start(const void* from, const Tensor& to) {
    GpuRuntime& runtime = *m_parts.runtime;
    runtime.record(m_computeDone, m_parts.compute);
    runtime.streamWaits(m_copies, m_computeDone);
    if (m_pinned)
        runtime.copy(to.data, from, to.bytes(), m_copies);
    else
        copyThroughSlots(static_cast<const std::byte*>(from), static_cast<std::byte*>(to.data), to.bytes());
    runtime.record(m_copied, m_copies);
    m_started = true;
}

void PinnedRing::join() {
    if (m_started) m_parts.runtime->streamWaits(m_parts.compute, m_copied);
}

void PinnedRing::waitForSources() {
    if (m_pinned && m_started) waitUntil(m_copied);
}

void PinnedRing::copyThroughSlots(const std::byte* from, std::byte* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += m_parts.slotBytes)
        send(from + done, to + done, std::min(m_parts.slotBytes, bytes - done));
}

void PinnedRing::send(const std::byte* from, std::byte* to, std::size_t bytes) {
    GpuRuntime& runtime = *m_parts.runtime;
    Slot& slot = m_slots[m_next];
    m_next = (m_next + 1) % m_slots.size();
    if (slot.sent)
        waitUntil(slot.sent);
    else
        slot = {runtime.allocateHost(m_parts.slotBytes), runtime.createEvent()};
    std::memcpy(slot.memory, from, bytes);
    runtime.copy(to, slot.memory, bytes, m_copies);
    runtime.record(slot.sent, m_copies);
}

void PinnedRing::waitUntil(DeviceEvent event) const {
    const TimePoint start = m_parts.clock->now();
    while (!m_parts.runtime->finished(event)) {
        if (m_parts.clock->now() - start >= m_parts.deadline)
            throw DeviceError(m_parts.gpu + " did not accept a batch within " +
                              std::to_string(m_parts.deadline.count() / 1000) + " s: see dmesg for Xid messages");
        m_parts.runtime->pause();
    }
}

}  // namespace ringside::cuda
