// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/pinned_slot.h"

#include <string>
#include <utility>

#include "base/errors/errors.h"

namespace ringside::cuda {

namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

PinnedSlot::PinnedSlot(RingParts parts, std::size_t bytes, SlotFunctions functions)
    : m_parts(std::move(parts)),
      m_capacity(bytes),
      m_functions(std::move(functions)),
      m_memory(static_cast<std::byte*>(m_parts.runtime->allocateHost(bytes))),
      m_copied(m_parts.runtime->createEvent()) {}

PinnedSlot::~PinnedSlot() {
    m_parts.runtime->destroyEvent(m_copied);
    m_parts.runtime->releaseHost(m_memory);
    for (void* sums : m_sums) m_parts.runtime->release(sums);
}

void PinnedSlot::begin() {
    m_pieces.clear();
    m_used = 0;
    m_next = 0;
    m_nextSums = 0;
}

void PinnedSlot::add(const Tensor& from) {
    RINGSIDE_ASSERT(m_used + from.bytes() <= m_capacity);
    std::byte* to = m_memory + m_used;
    if (from.bytes() > 0) m_parts.runtime->copy(to, from.data, from.bytes(), m_parts.compute);
    m_pieces.emplace_back(to, from.bytes());
    m_used += aligned(from.bytes());
}

void PinnedSlot::addSquares(const Tensor& from) {
    constexpr std::size_t kBytes = kNormParts * sizeof(double);
    if (m_nextSums == m_sums.size()) m_sums.push_back(m_parts.runtime->allocate(kBytes));
    auto* sums = static_cast<double*>(m_sums[m_nextSums++]);
    m_functions.sumSquares(from, sums);
    add({sums, {static_cast<std::int64_t>(kBytes)}, DType::kUInt8, from.device});
}

void PinnedSlot::end() {
    m_parts.runtime->record(m_copied, m_parts.compute);
}

void PinnedSlot::wait() {
    const TimePoint start = m_parts.clock->now();
    while (!m_parts.runtime->finished(m_copied)) {
        if (m_functions.meanwhile) m_functions.meanwhile();
        if (m_parts.clock->now() - start >= m_parts.deadline)
            throw DeviceError(m_parts.gpu + " did not finish a step within " +
                              std::to_string(m_parts.deadline.count() / 1000) +
                              " s: check other programs with nvidia-smi, and dmesg for Xid messages");
        m_parts.runtime->pause();
    }
}

std::span<const std::byte> PinnedSlot::next() {
    RINGSIDE_ASSERT(m_next < m_pieces.size());
    return m_pieces[m_next++];
}

}  // namespace ringside::cuda
