// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/step_ring.h"

#include <algorithm>
#include <bit>

namespace ringside {

StepRing::StepRing(std::size_t capacity)
    : m_records(std::bit_ceil(std::max<std::size_t>(capacity, 2))), m_mask(m_records.size() - 1) {}

bool StepRing::push(const StepRecord& record) {
    const std::uint64_t head = m_head.load(std::memory_order_relaxed);
    if (head - m_tail.load(std::memory_order_acquire) == m_records.size()) return false;
    m_records[head & m_mask] = record;
    m_head.store(head + 1, std::memory_order_release);
    return true;
}

bool StepRing::pop(StepRecord& record) {
    const std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
    if (tail == m_head.load(std::memory_order_acquire)) return false;
    record = m_records[tail & m_mask];
    m_tail.store(tail + 1, std::memory_order_release);
    return true;
}

const StepRecord* StepRing::front() const {
    const std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
    return tail == m_head.load(std::memory_order_acquire) ? nullptr : &m_records[tail & m_mask];
}

}  // namespace ringside
