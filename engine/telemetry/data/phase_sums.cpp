// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/phase_sums.h"

#include <algorithm>

namespace ringside {

void PhaseSums::add(const StepsFrame& frame, const std::function<void(const Step&)>& sink) {
    for (std::size_t i = 0; i < frame.traced.size(); ++i) {
        Gathered& one = m_waiting[frame.traced[i]];
        one.sums.step = frame.traced[i];
        one.sums.epoch = frame.epoch;
        const auto at = std::ranges::lower_bound(frame.step, frame.traced[i]);
        if (at != frame.step.end())
            one.sums.endUs = std::max(one.sums.endUs, frame.endUs[static_cast<std::size_t>(at - frame.step.begin())]);
        for (std::size_t phase = 0; phase < frame.phaseNs.size(); ++phase)
            if (i < frame.phaseNs[phase].size())
                one.sums.ms[phase] += static_cast<double>(frame.phaseNs[phase][i]) / 1e6 / m_worldSize;
        if (++one.ranks < m_worldSize) continue;
        sink(one.sums);
        // Discards the earlier steps, which are incomplete: the reports of each rank arrive in order, so that no rank
        // can report an earlier step later.
        m_waiting.erase(m_waiting.begin(), m_waiting.upper_bound(frame.traced[i]));
    }
    while (m_waiting.size() > kMaxWaiting) m_waiting.erase(m_waiting.begin());
}

}  // namespace ringside
