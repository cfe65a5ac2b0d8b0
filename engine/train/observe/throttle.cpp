// SPDX-License-Identifier: Apache-2.0
#include "train/observe/throttle.h"

#include <fmt/format.h>

#include <string>

namespace ringside {
namespace {

std::string throttleText(const ThrottleKept& throttle) {
    const std::string rank = "rank " + std::to_string(throttle.rank);
    if (*throttle.kept) return rank + " is again as fast as the device that parallel.pace describes";
    return fmt::format(
        "{} is slower than the device that parallel.pace describes: its passes take up to {:.2f} times as long; lower "
        "parallel.pace.gflops or parallel.world_size",
        rank, throttle.times);
}

}  // namespace

// The delay of pitfalls.slow_rank is registered before PhaseThrottle, because PhaseThrottle measures phases including
// this delay.
Throttle::Throttle(const Dependencies& dependencies)
    : m_dependencies(dependencies),
      m_slowPhase(dependencies.pitfalls, dependencies.rank, dependencies.observer.progress().phase,
                  [&control = dependencies.control](std::chrono::microseconds delay) { control.waitForStop(delay); }) {
    m_dependencies.phaseThrottle.startObserving();
}

void Throttle::beginStep(StepPosition) {
    m_slowPhase.beginStep();
    m_dependencies.phaseThrottle.beginStep(m_dependencies.parameters, m_slowPhase.delayIn(Phase::kOptimizer).count());
}

void Throttle::phaseEnded(Phase phase, StepPosition) {
    if (phase == Phase::kOptimizer) m_dependencies.phaseThrottle.sleepUntilUpdateEnds();
}

void Throttle::endStep(const FinishedStep& step) {
    const std::optional<ThrottleKept> throttle = m_dependencies.phaseThrottle.endStep(step.position.step);
    if (!throttle) return;
    m_dependencies.observer.onEvent(*throttle);
    m_dependencies.observer.onEvent(LogLine{throttle->rank, *throttle->kept ? LogLevel::kInfo : LogLevel::kWarning,
                                            throttleText(*throttle), m_dependencies.observer.nowUs()});
}

}  // namespace ringside
