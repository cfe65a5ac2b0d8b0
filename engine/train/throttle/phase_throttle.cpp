// SPDX-License-Identifier: Apache-2.0
#include "train/throttle/phase_throttle.h"

#include <algorithm>
#include <utility>

#include "base/time/monotonic.h"
#include "base/time/sleep_until.h"

namespace ringside {
namespace {

constexpr std::int64_t kWindow = 32;  // number of passes and updates that are evaluated together
// a pass counts as late if it takes longer than planned by more than this share
constexpr double kTolerance = 0.02;
// a delay up to this duration in nanoseconds never counts as late, because a sleep is not more precise
constexpr std::int64_t kMinLateNs = 20000;
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

// Sleeps until the described device would have finished the layer. Called once per layer in a forward pass. In a
// backward pass, called once per layer, or twice per layer if the pass is split into halves.
void PhaseThrottle::layerDone(const Model& model, std::size_t layer, Work work) {
    if (!m_throttle.isActive()) return;
    m_doneNs += m_throttle.passNs(model, work, m_samples, layer, layer + 1);
    sleepUntilElapsed(std::min(m_doneNs, m_passLastsNs));
}

void PhaseThrottle::sleepUntilElapsed(std::int64_t wantedNs) {
    m_sleep.sleepUntil(m_passBeganNs + wantedNs);
}

// Sleeps until the planned end of the pass. In a backward pass, layerDone() does not suffice: it is not called for the
// layers before the first layer with parameters, because they compute no gradient.
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

// The optimizer phase may consist of several parts, such as the gradient norm and the update. Sleeps for the remaining
// planned time after the last part.
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
