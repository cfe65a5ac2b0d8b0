// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/step_merger.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Algorithm: each rank has a queue of steps that are not merged yet. While no queue is empty, the lowest step number at
// the front of any queue is examined. If all fronts have this step number, the step is merged and removed from all
// queues. Otherwise at least one rank has not reported the step: the step is removed from the queues that contain it
// and counted as incomplete.
//
//     queue of rank 0    7   8   9  10      7: at the front of all queues, merged
//     queue of rank 1    7   9  10  11      8: rank 1 has not reported it; removed from the queues of ranks 0 and 2
//     queue of rank 2    7   8   9          9: at the front of all queues, merged; then the queue of rank 2 is empty,
//                                              so that 10 waits for the next report of rank 2
namespace ringside {
namespace {

// Maximum number of steps in the queue of one rank. If a rank is further ahead of slower ranks, its oldest step is
// discarded, so that memory is bounded for any input.
constexpr std::size_t kMaxWaiting = 1U << 17;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

StepMerger::StepMerger(int worldSize, std::int64_t stepsBefore)
    : m_waiting(static_cast<std::size_t>(std::max(worldSize, 1))),
      m_lastStep(stepsBefore),
      m_lastMergedStep(stepsBefore) {}

void StepMerger::Waiting::pop() {
    ++m_first;
    if (m_first == m_steps.size()) {
        m_steps.clear();
        m_first = 0;
    } else if (m_first >= 1024 && 2 * m_first >= m_steps.size()) {
        m_steps.erase(m_steps.begin(), m_steps.begin() + static_cast<std::ptrdiff_t>(m_first));
        m_first = 0;
    }
}

void StepMerger::add(const StepsFrame& frame, const std::function<void(const GlobalStep&)>& sink) {
    if (frame.rank < 0 || static_cast<std::size_t>(frame.rank) >= m_waiting.size()) return;
    auto& waiting = m_waiting[static_cast<std::size_t>(frame.rank)];
    for (std::size_t i = 0; i < frame.step.size(); ++i) {
        if (!waiting.empty() && frame.step[i] <= waiting.back().step) continue;
        if (frame.step[i] <= m_lastStep) continue;
        waiting.push(rankStep(frame, i));
        if (waiting.size() > kMaxWaiting) {
            waiting.pop();
            ++m_incomplete;
        }
    }
    emitReady(sink);
}

StepMerger::RankStep StepMerger::rankStep(const StepsFrame& frame, std::size_t index) {
    const double norm = frame.gradientNorm.empty() ? kNaN : frame.gradientNorm[index];
    const double correct = frame.correct.empty() ? -1 : frame.correct[index];
    const auto samples = static_cast<double>(frame.samples[index]);
    const double accuracy = frame.samples[index] > 0 ? correct / samples : kNaN;
    RankStep one{frame.step[index],
                 frame.epoch,
                 frame.loss[index],
                 norm,
                 frame.learningRate,
                 correct,
                 frame.samples[index],
                 frame.endUs[index],
                 frame.step[index],
                 1,
                 frame.loss[index],
                 frame.loss[index],
                 accuracy,
                 accuracy,
                 norm,
                 norm};
    if (!frame.isThinned()) return one;
    one.firstStep = frame.from[index];
    one.steps = frame.count[index];
    one.lossMinimum = frame.lossMinimum[index];
    one.lossMaximum = frame.lossMaximum[index];
    if (!frame.correct.empty()) {
        one.accuracyMinimum = frame.accuracyMinimum[index];
        one.accuracyMaximum = frame.accuracyMaximum[index];
    }
    if (!frame.gradientNorm.empty()) {
        one.normMinimum = frame.normMinimum[index];
        one.normMaximum = frame.normMaximum[index];
    }
    return one;
}

void StepMerger::emitReady(const std::function<void(const GlobalStep&)>& sink) {
    for (;;) {
        std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
        std::int64_t highest = 0;
        for (const auto& waiting : m_waiting) {
            if (waiting.empty()) return;
            lowest = std::min(lowest, waiting.front().step);
            highest = std::max(highest, waiting.front().step);
        }
        if (lowest == highest) {
            sink(popFronts());
        } else {
            ++m_incomplete;
            for (auto& waiting : m_waiting) {
                if (waiting.front().step == lowest) waiting.pop();
            }
        }
        m_lastStep = lowest;
    }
}

GlobalStep StepMerger::popFronts() {
    GlobalStep global;
    const RankStep& first = m_waiting.front().front();
    global.step = first.step;
    global.firstStep = first.firstStep;
    global.epoch = first.epoch;
    global.gradientNorm = first.gradientNorm;
    global.normMinimum = first.normMinimum;
    global.normMaximum = first.normMaximum;
    global.learningRate = first.learningRate;
    global.lossMinimum = global.accuracyMinimum = std::numeric_limits<double>::infinity();
    global.lossMaximum = global.accuracyMaximum = -std::numeric_limits<double>::infinity();
    global.timeUs = first.endUs;
    double lossSum = 0;
    double plainLossSum = 0;  // sum of the losses of ranks that report a loss but no number of samples
    int plainLosses = 0;
    double correct = 0;
    bool classifies = true;
    for (auto& waiting : m_waiting) {
        const RankStep& one = waiting.front();
        const auto samples = static_cast<double>(one.samples);
        classifies = classifies && one.correct >= 0;
        // The loss of a rank without samples is NaN, unless a watched script reports losses without numbers of samples.
        if (one.samples > 0) {
            lossSum += one.loss * samples;
        } else if (!std::isnan(one.loss)) {
            plainLossSum += one.loss;
            ++plainLosses;
        }
        correct += one.correct;
        global.samples += one.samples;
        // These comparisons are false if the value is NaN, so that NaN is ignored.
        if (one.lossMinimum < global.lossMinimum) global.lossMinimum = one.lossMinimum;
        if (one.lossMaximum > global.lossMaximum) global.lossMaximum = one.lossMaximum;
        if (one.accuracyMinimum < global.accuracyMinimum) global.accuracyMinimum = one.accuracyMinimum;
        if (one.accuracyMaximum > global.accuracyMaximum) global.accuracyMaximum = one.accuracyMaximum;
        global.firstStep = std::min(global.firstStep, one.firstStep);
        global.steps = std::max(global.steps, one.steps);
        global.timeUs = std::max(global.timeUs, one.endUs);
        waiting.pop();
    }
    const auto samples = static_cast<double>(global.samples);
    // A watched script without a DataLoader reports losses without numbers of samples: uses the plain mean of the
    // ranks' losses.
    global.loss = global.samples > 0 ? lossSum / samples : plainLosses > 0 ? plainLossSum / plainLosses : kNaN;
    global.accuracy = classifies && global.samples > 0 ? correct / samples : kNaN;
    if (std::isnan(global.accuracy)) global.accuracyMinimum = global.accuracyMaximum = kNaN;
    countSamples(global);
    return global;
}

void StepMerger::countSamples(GlobalStep& global) {
    // Counts each step that was not reported (because of log_every or dropped telemetry) as a full batch. The
    // limits, such as kCap for the total, prevent an integer overflow if the telemetry is invalid.
    constexpr std::int64_t kCap = std::int64_t{1} << 62;
    m_largestBatch = std::max(m_largestBatch, (global.samples + global.steps - 1) / global.steps);
    const std::int64_t skipped = std::clamp<std::int64_t>(global.step - m_lastMergedStep - global.steps, 0, 1 << 30);
    const std::int64_t assumed = skipped * std::min(m_largestBatch, std::int64_t{1} << 31);
    m_samplesSoFar = std::min(m_samplesSoFar + global.samples + assumed, kCap);
    m_lastMergedStep = global.step;
    global.samplesSoFar = m_samplesSoFar;
}

}  // namespace ringside
