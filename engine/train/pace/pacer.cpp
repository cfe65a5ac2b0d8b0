// SPDX-License-Identifier: Apache-2.0
#include "train/pace/pacer.h"

#include <algorithm>
#include <utility>

#include "base/time/monotonic.h"
#include "base/time/sleep_until.h"

namespace ringside {
namespace {

constexpr std::int64_t kWindow = 32;          // passes that are judged together
constexpr double kTolerance = 0.02;           // of what was asked for
constexpr std::int64_t kLeastLateNs = 20000;  // no clock wakes a thread more punctually
constexpr std::int64_t kMostLate = kWindow / 8;

}  // namespace

Pacer::Pacer(const DevicePace& pace, int rank, PhaseTrack& track) : m_pace(pace), m_rank(rank), m_track(track) {
    if (!m_pace.any()) return;
    askForPunctualSleep();
    m_track.listen(*this);
}

Pacer::~Pacer() {
    if (m_pace.any()) m_track.forget(*this);
}

void Pacer::beginStep(std::int64_t parameters) {
    if (m_pace.any()) m_updateNs = m_pace.updateNs(parameters);
}

std::optional<PaceKept> Pacer::endStep(std::int64_t step) {
    if (m_passes < kWindow) return {};
    const bool kept = m_late <= kMostLate;
    const double worst = std::exchange(m_worst, 1);
    m_passes = 0;
    m_late = 0;
    if (std::exchange(m_kept, kept) == kept) return {};
    return PaceKept{m_rank, step, kept, worst};
}

void Pacer::passBegins(const Model& model, Work work, std::int64_t samples) {
    if (!m_pace.any()) return;
    m_work = work;
    m_samples = samples;
    m_doneNs = 0;
    m_passLastsNs = m_pace.passNs(model, work, samples, model.range().first, model.range().last);
    m_passBeganNs = monotonicNs();
}

// Of a whole backward, its two halves layer by layer.
void Pacer::layerDone(const Model& model, std::size_t layer, Work work) {
    if (!m_pace.any()) return;
    m_doneNs += m_pace.passNs(model, work, m_samples, layer, layer + 1);
    sleepFor(std::min(m_doneNs, m_passLastsNs));
}

void Pacer::sleepFor(std::int64_t wantedNs) {
    sleepUntilNs(m_passBeganNs + wantedNs);
}

// Layers below the first that has parameters have no gradient to compute, and every pass ends when it is to.
void Pacer::passEnds() {
    m_track.enterLayer(-1);
    if (!m_pace.any()) return;
    sleepFor(m_passLastsNs);
    const std::int64_t took = monotonicNs() - m_passBeganNs;
    const auto asked = static_cast<double>(std::max<std::int64_t>(m_passLastsNs, 1));
    if (++m_passes <= 0) return;
    const auto late = static_cast<double>(took - m_passLastsNs);
    if (late <= std::max(kTolerance * asked, static_cast<double>(kLeastLateNs))) return;
    ++m_late;
    m_worst = std::max(m_worst, static_cast<double>(took) / asked);
}

void Pacer::leaving(Phase phase, Phase) {
    if (phase == Phase::kOptimizer && m_updateNs > 0) sleepUntilNs(m_phaseSinceNs + std::exchange(m_updateNs, 0));
    const std::int64_t now = monotonicNs();
    if (isCommunication(phase) || phase == Phase::kPaused) m_passBeganNs += now - m_phaseSinceNs;
    m_phaseSinceNs = now;
}

}  // namespace ringside
