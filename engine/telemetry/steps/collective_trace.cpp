// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/collective_trace.h"

namespace ringside {

void CollectiveTrace::add(const CollectiveStamp& stamp) {
    const std::lock_guard lock(m_mutex);
    if (active() && m_stamps.size() < m_stamps.capacity()) m_stamps.push_back(stamp);
}

void CollectiveTrace::add(const MessageStamp& stamp) {
    if (m_messages.size() < m_messages.capacity()) m_messages.push_back(stamp);
}

void CollectiveTrace::startRecording() {
    const std::lock_guard lock(m_mutex);
    m_stamps.clear();
    m_messages.clear();
    m_active.store(true, std::memory_order_relaxed);
}

std::vector<CollectiveStamp> CollectiveTrace::collectives() {
    const std::lock_guard lock(m_mutex);
    return m_stamps;
}

void CollectiveTrace::stopRecording() {
    m_active.store(false, std::memory_order_relaxed);
}

}  // namespace ringside
