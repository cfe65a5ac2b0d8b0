// SPDX-License-Identifier: GPL-3.0-or-later
#include "diagnostics/event_times.h"

#include <algorithm>
#include <cmath>

namespace ringside {

void EventTimes::setWatching(bool watching) {
    m_watching = watching;
    clear();
}

void EventTimes::clear() {
    m_count = m_frameCount = 0;
    m_lastFrameMs = 0;
    m_longest = {};
    m_slow.clear();
    m_frames.clear();
}

void EventTimes::add(const Event& event) {
    ++m_count;
    if (event.processorMs > m_longest.processorMs) m_longest = event;
    if (event.processorMs > kSlowMs && m_slow.size() < kMaxSlow) m_slow.push_back(event);
    if (event.type != QEvent::UpdateRequest) return;
    m_lastFrameMs = event.ms;
    if (m_frames.size() < kFrames) {
        m_frames.push_back(event);
    } else {
        m_frames[m_frameCount % kFrames] = event;
    }
    ++m_frameCount;
}

double EventTimes::frameP99Ms() const {
    std::vector<double> times;
    for (const Event& frame : m_frames) times.push_back(frame.ms);
    return quantile(times, 0.99);
}

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace ringside
