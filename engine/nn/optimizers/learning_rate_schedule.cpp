// SPDX-License-Identifier: Apache-2.0
#include "nn/optimizers/learning_rate_schedule.h"

#include <cmath>
#include <numbers>

namespace ringside {

LearningRateSchedule::LearningRateSchedule(const ScheduleConfig& config, double baseRate, std::int64_t epochs)
    : m_config(config), m_base(baseRate), m_rate(baseRate) {
    if (m_config.tMax == 0) m_config.tMax = epochs;
    if (m_config.warmupEpochs > 0) m_rate = baseRate * m_config.warmupStart;
}

void LearningRateSchedule::nextEpoch() {
    ++m_epoch;
    m_rate = warmedUp(m_rate);
    if (m_config.kind == RateScheduleKind::kStep && m_epoch % m_config.stepSize == 0) m_rate *= m_config.gamma;
    if (m_config.kind == RateScheduleKind::kCosine) m_rate = annealed(m_rate);
}

// Returns the learning rate of the next epoch during the warm-up, by LinearLR with end_factor 1.
double LearningRateSchedule::warmedUp(double rate) const {
    if (m_config.warmupEpochs == 0 || m_epoch > m_config.warmupEpochs) return rate;
    const double climb = 1.0 - m_config.warmupStart;
    const double before =
        static_cast<double>(m_config.warmupEpochs) * m_config.warmupStart + static_cast<double>(m_epoch - 1) * climb;
    return rate * (1.0 + climb / before);
}

// Returns the learning rate of the next epoch by CosineAnnealingLR. After T_max epochs the rate rises again.
double LearningRateSchedule::annealed(double rate) const {
    const auto period = static_cast<double>(m_config.tMax);
    const auto wave = [&](std::int64_t epoch) {
        return 1 + std::cos(std::numbers::pi * static_cast<double>(epoch) / period);
    };
    if ((m_epoch - 1 - m_config.tMax) % (2 * m_config.tMax) == 0)
        return rate + (m_base - m_config.etaMin) * (1 - std::cos(std::numbers::pi / period)) / 2;
    return wave(m_epoch) / wave(m_epoch - 1) * (rate - m_config.etaMin) + m_config.etaMin;
}

}  // namespace ringside
