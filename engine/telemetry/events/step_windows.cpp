// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/step_windows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace ringside {
namespace {

constexpr std::size_t kMaxEntries = 512;  // largest number of entries in one line
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

double rounded(double value) {
    constexpr int kDigits = 9;
    if (!std::isfinite(value)) return value;
    std::array<char, 40> text;
    const auto written =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, kDigits);
    double shorter = value;
    std::from_chars(text.data(), written.ptr, shorter);
    return shorter;
}

// Extends the range [minimum, maximum] so that it contains `low` and `high`. Ignores NaN.
void widen(double& minimum, double& maximum, double low, double high) {
    if (low < minimum || std::isnan(minimum)) minimum = low;
    if (high > maximum || std::isnan(maximum)) maximum = high;
}

}  // namespace

void StepWindows::add(const StepsFrame& frame, std::size_t from, const StepGrain& grain) {
    for (std::size_t i = from; i < frame.step.size(); ++i) {
        const std::int64_t step = frame.step[i];
        if (m_open && step > m_open->window.last) close(m_open->window.last);
        if (!m_open) open(grain.windowOf(step));
        addStep(frame, i);
        if (step == m_open->window.last) close(step);
    }
}

void StepWindows::open(const StepGrain::Window& window) {
    Open& one = m_open.emplace();
    one.window = window;
    one.lossMinimum = one.lossMaximum = one.accuracyMinimum = one.accuracyMaximum = kNotMeasured;
    one.normMinimum = one.normMaximum = kNotMeasured;
}

void StepWindows::addStep(const StepsFrame& frame, std::size_t index) {
    Open& one = *m_open;
    const bool thinned = frame.isThinned();
    const std::int64_t samples = frame.samples[index];
    const double loss = frame.loss[index];
    one.epoch = frame.epoch;
    one.learningRate = frame.learningRate;
    one.lastStep = frame.step[index];
    one.samples += samples;
    one.endUs = frame.endUs[index];
    // Sums losses that come without a number of samples separately, as plain values: a watched script without a
    // DataLoader reports such losses. The loss of an empty batch is NaN and is ignored.
    const std::int64_t steps = thinned ? frame.count[index] : 1;
    one.count += steps;
    if (samples > 0) {
        one.lossSum += loss * static_cast<double>(samples);
        one.lossSamples += samples;
    } else if (!std::isnan(loss)) {
        one.plainLossSum += loss * static_cast<double>(steps);
        one.plainLosses += steps;
    }
    if (samples > 0 || !std::isnan(loss)) {
        widen(one.lossMinimum, one.lossMaximum, thinned ? frame.lossMinimum[index] : loss,
              thinned ? frame.lossMaximum[index] : loss);
    }
    one.classifies = one.classifies && !frame.correct.empty();
    if (!frame.correct.empty()) {
        one.correct += frame.correct[index];
        const double accuracy = samples > 0 ? frame.correct[index] / static_cast<double>(samples) : kNotMeasured;
        widen(one.accuracyMinimum, one.accuracyMaximum, thinned ? frame.accuracyMinimum[index] : accuracy,
              thinned ? frame.accuracyMaximum[index] : accuracy);
    }
    one.measuresData = one.measuresData && !frame.dataUs.empty();
    if (!frame.dataUs.empty()) one.dataUs += frame.dataUs[index];
    if (frame.gradientNorm.empty() || std::isnan(frame.gradientNorm[index])) return;
    one.normSum += frame.gradientNorm[index];
    ++one.normCount;
    widen(one.normMinimum, one.normMaximum, thinned ? frame.normMinimum[index] : frame.gradientNorm[index],
          thinned ? frame.normMaximum[index] : frame.gradientNorm[index]);
}

void StepWindows::close(std::int64_t last) {
    const Open one = *std::exchange(m_open, std::nullopt);
    StepsFrame& frame = frameFor(one);
    frame.epoch = one.epoch;
    frame.step.push_back(last);
    frame.from.push_back(one.window.first);
    frame.count.push_back(one.count);
    frame.loss.push_back(one.lossSamples > 0   ? rounded(one.lossSum / static_cast<double>(one.lossSamples))
                         : one.plainLosses > 0 ? rounded(one.plainLossSum / static_cast<double>(one.plainLosses))
                                               : kNotMeasured);
    frame.lossMinimum.push_back(rounded(one.lossMinimum));
    frame.lossMaximum.push_back(rounded(one.lossMaximum));
    frame.samples.push_back(one.samples);
    frame.endUs.push_back(one.endUs);
    if (one.measuresData) frame.dataUs.push_back(one.dataUs);
    if (one.classifies) {
        frame.correct.push_back(rounded(one.correct));
        frame.accuracyMinimum.push_back(rounded(one.accuracyMinimum));
        frame.accuracyMaximum.push_back(rounded(one.accuracyMaximum));
    }
    if (frame.gradientNorm.empty() && one.normCount == 0) return;
    for (auto* column : {&frame.gradientNorm, &frame.normMinimum, &frame.normMaximum}) {
        column->resize(frame.step.size() - 1, kNotMeasured);
    }
    frame.gradientNorm.push_back(one.normCount > 0 ? rounded(one.normSum / static_cast<double>(one.normCount))
                                                   : kNotMeasured);
    frame.normMinimum.push_back(rounded(one.normMinimum));
    frame.normMaximum.push_back(rounded(one.normMaximum));
}

// Returns the line to which the window is appended. This is the last line, or a new line if the last line is full or
// has other columns or another learning rate.
StepsFrame& StepWindows::frameFor(const Open& open) {
    if (!m_done.empty()) {
        StepsFrame& last = m_done.back();
        if (last.step.size() < kMaxEntries && last.learningRate == open.learningRate &&
            last.correct.empty() != open.classifies && last.dataUs.empty() != open.measuresData) {
            return last;
        }
    }
    StepsFrame& fresh = m_done.emplace_back();
    fresh.rank = m_rank;
    fresh.learningRate = open.learningRate;
    return fresh;
}

void StepWindows::finish() {
    if (m_open) close(m_open->lastStep);
}

std::vector<StepsFrame> StepWindows::take() {
    return std::exchange(m_done, {});
}

}  // namespace ringside
