// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ringside {
namespace {

constexpr std::size_t kPhasePoints = 1U << 12;  // maximum number of points in the curve of each phase
constexpr std::int64_t kThroughputWindowUs = 500000;

std::int32_t pointCount(std::int64_t steps) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(steps, 1, std::numeric_limits<std::int32_t>::max() / 4));
}

SeriesPoint pointOf(SeriesPoint point, double mean, double minimum, double maximum) {
    point.mean = static_cast<float>(mean);
    point.minimum = static_cast<float>(minimum);
    point.maximum = static_cast<float>(maximum);
    return point;
}

}  // namespace

void RunCurves::begin(int worldSize) {
    const bool isFirst = !m_phaseSums;
    m_phaseSums.emplace(worldSize);
    if (isFirst) m_phaseTimes.fill(Series(kPhasePoints));
}

SeriesPoint RunCurves::pointAt(std::int64_t step, std::int64_t epoch, std::int64_t samples, std::int64_t timeUs) const {
    SeriesPoint point;
    point.step = step;
    point.epoch = m_stepsPerEpoch > 0 ? static_cast<double>(step) / static_cast<double>(m_stepsPerEpoch)
                                      : static_cast<double>(epoch);
    point.samples = samples;
    point.timeUs = timeUs;
    return point;
}

void RunCurves::add(RankData& rank, const StepsFrame& frame, std::size_t index, std::int64_t samples) const {
    if (m_kept != Curves::kKept) return;
    SeriesPoint point = pointAt(frame.step[index], frame.epoch, samples, frame.endUs[index]);
    const bool thinned = frame.isThinned();
    if (thinned) point.count = pointCount(frame.count[index]);
    const double loss = frame.loss[index];
    rank.lossSeries.add(
        pointOf(point, loss, thinned ? frame.lossMinimum[index] : loss, thinned ? frame.lossMaximum[index] : loss));
    if (frame.correct.empty() || frame.samples[index] == 0) return;
    const double accuracy = frame.correct[index] / static_cast<double>(frame.samples[index]);
    rank.accuracySeries.add(pointOf(point, accuracy, thinned ? frame.accuracyMinimum[index] : accuracy,
                                    thinned ? frame.accuracyMaximum[index] : accuracy));
}

void RunCurves::addPhases(const StepsFrame& frame, const std::optional<GlobalStep>& last) {
    if (m_kept != Curves::kKept) return;
    m_phaseSums->add(frame, [&](const PhaseSums::Step& step) {
        const double share =
            last && last->step > 0 ? static_cast<double>(step.step) / static_cast<double>(last->step) : 0;
        const auto samples = last ? static_cast<double>(last->samplesSoFar) * share : 0;
        const SeriesPoint point = pointAt(step.step, step.epoch, static_cast<std::int64_t>(samples), step.endUs);
        for (std::size_t phase = 0; phase < step.ms.size(); ++phase)
            m_phaseTimes[phase].add(pointOf(point, step.ms[phase], step.ms[phase], step.ms[phase]));
    });
}

void RunCurves::add(const GlobalStep& global) {
    if (m_kept == Curves::kLeftOut) return;
    SeriesPoint point = pointAt(global.step, global.epoch, global.samplesSoFar, global.timeUs);
    point.count = pointCount(global.steps);
    m_loss.add(pointOf(point, global.loss, global.lossMinimum, global.lossMaximum));
    if (!std::isnan(global.accuracy)) {
        m_accuracy.add(pointOf(point, global.accuracy, global.accuracyMinimum, global.accuracyMaximum));
    }
    if (!std::isnan(global.gradientNorm)) {
        m_gradientNorm.add(pointOf(point, global.gradientNorm, global.normMinimum, global.normMaximum));
    }
    m_learningRate.add(pointOf(point, global.learningRate, global.learningRate, global.learningRate));
    addThroughput(point);
}

// Adds a point to the throughput curve once enough time has passed since the previous point. In a shorter interval, the
// result would depend mainly on the accuracy of the clock and on the scheduler.
void RunCurves::addThroughput(const SeriesPoint& point) {
    m_throughputUntil = point;
    if (m_throughputFrom.step == 0) m_throughputFrom = point;
    if (point.timeUs - m_throughputFrom.timeUs < kThroughputWindowUs) return;
    addThroughputPoint(m_throughputFrom, point);
    m_throughputBefore = std::exchange(m_throughputFrom, point);
}

void RunCurves::addThroughputPoint(const SeriesPoint& from, const SeriesPoint& to) {
    const double rate =
        static_cast<double>(to.samples - from.samples) * 1e6 / static_cast<double>(to.timeUs - from.timeUs);
    // Adds another point at the start of the first interval, so that the curve begins at the start of the run.
    if (m_throughput.points().empty()) m_throughput.add(pointOf(from, rate, rate, rate));
    SeriesPoint point = pointOf(to, rate, rate, rate);
    point.count = pointCount(to.step - from.step);
    m_throughput.add(point);
}

// Adds the last point of the throughput curve, for the steps since the previous point. A run shorter than one interval
// gets a single point for all its steps.
void RunCurves::end() {
    if (m_kept == Curves::kLeftOut) return;
    const SeriesPoint from = m_throughput.points().empty() ? m_throughputFrom : m_throughputBefore;
    if (m_throughputUntil.step <= m_throughputFrom.step || m_throughputUntil.timeUs <= from.timeUs) return;
    addThroughputPoint(from, m_throughputUntil);
}

}  // namespace ringside
