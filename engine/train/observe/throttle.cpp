// SPDX-License-Identifier: Apache-2.0
#include "train/observe/throttle.h"

#include <array>
#include <cstdio>
#include <string>

namespace ringside {
namespace {

std::string paceText(const PaceKept& pace) {
    const std::string rank = "rank " + std::to_string(pace.rank);
    if (*pace.kept) return rank + " is fast enough for the throttle again";
    std::array<char, 32> times{};
    std::snprintf(times.data(), times.size(), "%.2f", pace.times);
    return rank + " is too slow for parallel.pace: its passes take up to " + times.data() +
           " times as long as set; lower parallel.pace.gflops or parallel.world_size";
}

}  // namespace

// The pacer measures phases including the delay of the slow phase, so it must be registered after it.
Throttle::Throttle(const Parts& parts)
    : m_parts(parts),
      m_slowPhase(parts.pitfalls, parts.rank, parts.observer.progress().phase,
                  [&control = parts.control](std::chrono::microseconds delay) { control.waitForStop(delay); }) {
    m_parts.pacer.follow();
}

void Throttle::beginStep(StepPlace) {
    m_slowPhase.beginStep();
    m_parts.pacer.beginStep(m_parts.parameters, m_slowPhase.delayIn(Phase::kOptimizer).count());
}

void Throttle::phaseEnded(Phase phase, StepPlace) {
    if (phase == Phase::kOptimizer) m_parts.pacer.endUpdate();
}

void Throttle::endStep(const FinishedStep& step) {
    const std::optional<PaceKept> pace = m_parts.pacer.endStep(step.place.step);
    if (!pace) return;
    m_parts.observer.onEvent(*pace);
    m_parts.observer.onEvent(
        LogLine{pace->rank, *pace->kept ? "info" : "warning", paceText(*pace), m_parts.observer.nowUs()});
}

}  // namespace ringside
