// SPDX-License-Identifier: Apache-2.0
#include "train/throttle/phase_throttle.h"

#include <algorithm>
#include <utility>

#include "base/time/monotonic.h"
#include "base/time/sleep_until.h"

namespace ringside {
namespace {

constexpr std::int64_t kWindow = 32;        // number of passes that are evaluated together
constexpr double kTolerance = 0.02;         // tolerated delay relative to the planned duration
constexpr std::int64_t kMinLateNs = 20000;  // delay in nanoseconds that is always tolerated; sleeping is not more
                                            // precise
constexpr std::int64_t kMaxLate = kWindow / 8;

}  // namespace

PhaseThrottle::PhaseThrottle(const DeviceThrottle& throttle, int rank, PhaseTrack& track)
    : m_throttle(throttle), m_rank(rank), m_track(track) {
    if (m_throttle.isActive()) setMinimalTimerSlack();
}

void PhaseThrottle::startObserving() {
    if (m_throttle.isActive()) m_track.addListener(*this);
}

PhaseThrottle::~PhaseThrottle() {
    if (m_throttle.isActive()) m_track.removeListener(*this);
}

void PhaseThrottle::beginStep(std::int64_t parameters, std::int64_t delayNs) {
    if (!m_throttle.isActive()) return;
    m_updateNs = m_throttle.updateNs(parameters) + delayNs;
    m_updatedNs = 0;
}

std::optional<ThrottleKept> PhaseThrottle::endStep(std::int64_t step) {
    if (m_passes < kWindow) return {};
    const bool kept = m_late <= kMaxLate;
    const double worst = std::exchange(m_worst, 1);
    m_passes = 0;
    m_late = 0;
    if (std::exchange(m_kept, kept) == kept) return {};
    return ThrottleKept{m_rank, step, kept, worst};
}

void PhaseThrottle::onPassBegin(const Model& model, Work work, std::int64_t samples) {
    if (!m_throttle.isActive()) return;
    m_work = work;
    m_samples = samples;
    m_doneNs = 0;
    m_passLastsNs = m_throttle.passNs(model, work, samples, model.range().first, model.range().last);
    m_passBeganNs = monotonicNs();
}

// Called once per layer in a forward pass, and once or twice per layer in a backward pass: once if the pass is not
// split into halves.
void PhaseThrottle::layerDone(const Model& model, std::size_t layer, Work work) {
    if (!m_throttle.isActive()) return;
    m_doneNs += m_throttle.passNs(model, work, m_samples, layer, layer + 1);
    sleepUntilElapsed(std::min(m_doneNs, m_passLastsNs));
}

void PhaseThrottle::sleepUntilElapsed(std::int64_t wantedNs) {
    m_sleep.sleepUntil(m_passBeganNs + wantedNs);
}

// Sleeps until the planned end of the pass. layerDone() cannot do this in a backward pass, because it is not called for
// layers before the first parameter, which compute no gradient.
void PhaseThrottle::onPassEnd() {
    m_track.enterLayer(-1);
    if (!m_throttle.isActive()) return;
    sleepUntilElapsed(m_passLastsNs);
    evaluatePass(monotonicNs() - m_passBeganNs, m_passLastsNs);
}

void PhaseThrottle::evaluatePass(std::int64_t tookNs, std::int64_t requestedNs) {
    if (++m_passes <= 0) return;
    const auto requested = static_cast<double>(std::max<std::int64_t>(requestedNs, 1));
    const auto late = static_cast<double>(tookNs - requestedNs);
    if (late <= std::max(kTolerance * requested, static_cast<double>(kMinLateNs))) return;
    ++m_late;
    m_worst = std::max(m_worst, static_cast<double>(tookNs) / requested);
}

// The optimizer phase may run in several parts, such as the gradient norm. The throttle sleeps the remaining planned
// time after the last part.
void PhaseThrottle::sleepUntilUpdateEnds() {
    if (!m_throttle.isActive()) return;
    {
        const PhaseScope scope(m_track, Phase::kOptimizer);
        m_sleep.sleepUntil(monotonicNs() + m_updateNs - m_updatedNs);
    }
    evaluatePass(m_updatedNs, m_updateNs);
}

void PhaseThrottle::onPhaseEnd(Phase phase, Phase) {
    const std::int64_t now = monotonicNs();
    if (phase == Phase::kOptimizer) m_updatedNs += now - m_phaseSinceNs;
    if (isCommunication(phase) || phase == Phase::kPaused) m_passBeganNs += now - m_phaseSinceNs;
    m_phaseSinceNs = now;
}

}  // namespace ringside
