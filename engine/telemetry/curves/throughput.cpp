// SPDX-License-Identifier: Apache-2.0
#include "telemetry/curves/throughput.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxMarks = 64;

}  // namespace

void Throughput::add(std::int64_t timeUs, std::int64_t samples, std::int64_t step) {
    if (!m_marks.empty() && timeUs <= m_marks.back().timeUs) return;
    // Each entry of m_marks holds the numbers of steps and samples at one time. Overwrites the last entry if it is
    // younger than m_windowUs / kMaxMarks, so that a fast run needs no more memory than a slow one.
    if (m_marks.size() >= 2 && timeUs < m_denseUntilUs) {
        m_marks.back() = {timeUs, samples, step};
        return;
    }
    if (!m_marks.empty()) m_denseUntilUs = m_marks.back().timeUs + m_windowUs / static_cast<std::int64_t>(kMaxMarks);
    m_marks.push_back({timeUs, samples, step});
    while (m_marks.size() > 2 && m_marks[1].timeUs <= timeUs - m_windowUs) m_marks.pop_front();
}

std::optional<double> Throughput::samplesPerSecond() const {
    if (m_marks.size() < 2) return {};
    const auto seconds = static_cast<double>(m_marks.back().timeUs - m_marks.front().timeUs) / 1e6;
    return static_cast<double>(m_marks.back().samples - m_marks.front().samples) / seconds;
}

std::optional<double> Throughput::stepsPerSecond() const {
    if (m_marks.size() < 2) return {};
    const auto seconds = static_cast<double>(m_marks.back().timeUs - m_marks.front().timeUs) / 1e6;
    return static_cast<double>(m_marks.back().step - m_marks.front().step) / seconds;
}

}  // namespace ringside
