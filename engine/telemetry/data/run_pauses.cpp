// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_pauses.h"

#include <algorithm>

#include "telemetry/events/append_bounded.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxControls = 10000;

}  // namespace

void RunPauses::add(const Controlled& event) {
    appendBounded(m_controls, event, kMaxControls);
    if (event.command == ControlKind::kRate) m_rate = event.value;
    if (event.command == ControlKind::kEpochs) m_epochs = static_cast<std::int64_t>(event.value);
    if (event.command == ControlKind::kPause && !m_pausedFromUs) m_pausedFromUs = event.timeUs;
    const bool continues = event.command == ControlKind::kResume || event.command == ControlKind::kStep ||
                           event.command == ControlKind::kPhase || event.command == ControlKind::kStop;
    if (!continues || !m_pausedFromUs) return;
    m_pausedUs += std::max<std::int64_t>(event.timeUs - *m_pausedFromUs, 0);
    m_pausedFromUs.reset();
}

std::int64_t RunPauses::pausedUs(std::int64_t nowUs) const {
    return m_pausedUs + (m_pausedFromUs ? std::max<std::int64_t>(nowUs - *m_pausedFromUs, 0) : 0);
}

}  // namespace ringside
