// SPDX-License-Identifier: Apache-2.0
#include "base/time/clock_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ringside {
namespace {

constexpr std::size_t kMaxReadings = 512;

std::int64_t middleUs(const ClockReading& reading) {
    return reading.sentUs + reading.roundTripUs() / 2;
}

std::int64_t offsetUs(const ClockReading& reading) {
    return reading.remoteUs - middleUs(reading);
}

// Returns the upper bound of the error of a reading in microseconds: half of the round trip, rounded up.
std::int64_t errorUs(const ClockReading& reading) {
    return (reading.roundTripUs() + 1) / 2;
}

bool isFaster(const ClockReading& one, const ClockReading& other) {
    return one.roundTripUs() < other.roundTripUs();
}

}  // namespace

void ClockComparison::add(const ClockReading& reading) {
    if (reading.roundTripUs() < 0 || reading.roundTripUs() > kWindowUs) return;
    if (contradicts(reading)) m_readings.clear();
    m_readings.push_back(reading);
    while (m_readings.size() > kMaxReadings || m_readings.front().sentUs < reading.receivedUs - kWindowUs)
        m_readings.pop_front();
}

// True if this reading's offset differs from the offset of the fastest reading by more than both errors and the largest
// drift allow.
bool ClockComparison::contradicts(const ClockReading& reading) const {
    if (m_readings.empty()) return false;
    const ClockReading& best = *std::min_element(m_readings.begin(), m_readings.end(), isFaster);
    const double age = static_cast<double>(reading.receivedUs - best.sentUs);
    const auto allowed = errorUs(best) + errorUs(reading) + static_cast<std::int64_t>(std::ceil(2 * kMaxDrift * age));
    return std::abs(offsetUs(reading) - offsetUs(best)) > allowed;
}

ClockComparison::Drift ClockComparison::drift() const {
    const std::int64_t middle = (m_readings.front().sentUs + m_readings.back().sentUs) / 2;
    const auto newer = std::ranges::find_if(m_readings, [&](const ClockReading& one) { return one.sentUs > middle; });
    if (newer == m_readings.end()) return {};
    const ClockReading& from = *std::min_element(m_readings.begin(), newer, isFaster);
    const ClockReading& to = *std::min_element(newer, m_readings.end(), isFaster);
    const std::int64_t apart = middleUs(to) - middleUs(from);
    if (apart < kMinSpanUs) return {};
    const Drift seen{static_cast<double>(offsetUs(to) - offsetUs(from)) / static_cast<double>(apart),
                     static_cast<double>(errorUs(to) + errorUs(from)) / static_cast<double>(apart)};
    return seen.error < kMaxDrift ? seen : Drift{};
}

std::optional<ClockDifference> ClockComparison::at(std::int64_t nowUs) const {
    if (m_readings.empty()) return {};
    const Drift drift = this->drift();
    std::optional<ClockDifference> best;
    for (const ClockReading& one : m_readings) {
        const double age = static_cast<double>(std::max<std::int64_t>(nowUs - middleUs(one), 0));
        const std::int64_t error = errorUs(one) + static_cast<std::int64_t>(std::ceil(drift.error * age));
        if (best && error >= best->errorUs) continue;
        best = ClockDifference{offsetUs(one) + std::llround(drift.value * age), error, 0, drift.value};
    }
    best->roundTripUs = std::min_element(m_readings.begin(), m_readings.end(), isFaster)->roundTripUs();
    return best;
}

}  // namespace ringside
