// SPDX-License-Identifier: Apache-2.0
#include "train/observe/index_report.h"

#include <algorithm>
#include <utility>

#include "telemetry/events/limits.h"

namespace ringside {

IndexReport::IndexReport(SampleReport when, int rank, TrainerObserver& observer)
    : m_when(when), m_rank(rank), m_observer(observer) {}

bool IndexReport::isWanted(std::int64_t count) {
    if (m_when != SampleReport::kAuto) return m_when == SampleReport::kAlways;
    if (m_sent + count > kMaxInAuto) return false;
    const std::int64_t now = m_observer.nowUs();
    const std::int64_t took = now - std::exchange(m_lastUs, now);
    return took >= std::max(kMinStepUs, count * kMinSampleUs);
}

void IndexReport::reportIndices(std::int64_t epoch, std::int64_t step, std::int64_t slot,
                                std::span<const std::int64_t> indices) {
    if (!isWanted(static_cast<std::int64_t>(indices.size()))) return;
    m_sent += static_cast<std::int64_t>(indices.size());
    while (!indices.empty()) {
        const auto part = indices.first(std::min(indices.size(), limits::kMaxColumn));
        m_observer.onEvent(ConsumedIndices{m_rank, epoch, step, slot, {part.begin(), part.end()}});
        slot += static_cast<std::int64_t>(part.size());
        indices = indices.subspan(part.size());
    }
}

}  // namespace ringside
