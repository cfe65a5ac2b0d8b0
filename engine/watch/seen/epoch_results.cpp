// SPDX-License-Identifier: Apache-2.0
#include "watch/seen/epoch_results.h"

#include <algorithm>
#include <limits>

namespace ringside {

std::vector<EpochResult> EpochResults::add(const StepsFrame& frame) {
    if (frame.rank < 0 || static_cast<std::size_t>(frame.rank) >= m_epochs.size() || frame.step.empty()) return {};
    std::int64_t& latest = m_epochs[static_cast<std::size_t>(frame.rank)];
    latest = std::max(latest, frame.epoch);
    Totals& totals = m_totals[frame.epoch];
    for (std::size_t i = 0; i < frame.step.size(); ++i) {
        totals.lossSum += frame.loss[i] * static_cast<double>(frame.samples[i]);
        totals.plainLossSum += frame.loss[i];
        totals.samples += frame.samples[i];
    }
    totals.steps += static_cast<std::int64_t>(frame.step.size());
    totals.lastStep = std::max(totals.lastStep, frame.step.back());
    totals.lastUs = std::max(totals.lastUs, frame.endUs.back());
    return popBelow(*std::ranges::min_element(m_epochs));
}

void EpochResults::beginAttempt() {
    m_totals.clear();
    std::ranges::fill(m_epochs, 0);
}

std::vector<EpochResult> EpochResults::finish() {
    return popBelow(std::numeric_limits<std::int64_t>::max());
}

std::vector<EpochResult> EpochResults::popBelow(std::int64_t epoch) {
    std::vector<EpochResult> done;
    while (!m_totals.empty() && m_totals.begin()->first < epoch) {
        const auto& [number, totals] = *m_totals.begin();
        EpochResult& one = done.emplace_back();
        one.epoch = number;
        one.split = SplitKind::kTrain;
        one.loss = totals.samples > 0 ? totals.lossSum / static_cast<double>(totals.samples)
                                      : totals.plainLossSum / static_cast<double>(totals.steps);
        one.lossPadded = one.loss;
        one.accuracy = one.accuracyPadded = std::numeric_limits<double>::quiet_NaN();
        one.samples = one.samplesPadded = totals.samples;
        one.step = totals.lastStep;
        one.timeUs = totals.lastUs;
        m_totals.erase(m_totals.begin());
    }
    return done;
}

}  // namespace ringside
