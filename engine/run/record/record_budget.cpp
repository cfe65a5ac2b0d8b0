// SPDX-License-Identifier: Apache-2.0
#include "run/record/record_budget.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ringside {
namespace {

constexpr double kMebibyte = 1 << 20;
// Part of the total budget that is reserved for lines of the kind kVital, in bytes.
constexpr double kVitalBytes = kMebibyte;
constexpr double kHourUs = 3600e6;
constexpr std::int64_t kMinuteUs = 60000000;
constexpr std::int64_t kHour = 3600000000;
constexpr std::int64_t kUpdateUs = 1000000;
constexpr int kMaxHalvings = 30;

// Share of each kind of data in the allowance. The last kind, kVital, has the separate budget kVitalBytes.
constexpr std::array<double, kRecordKinds> kShares = {0.34, 0.16, 0.22, 0.12, 0.02, 0.10, 0.04, 0};

}  // namespace

RecordBudget::RecordBudget(const TelemetryConfig& limits)
    : m_total(static_cast<double>(limits.megabytesTotal) * kMebibyte - kVitalBytes),
      m_perHour(std::min(static_cast<double>(limits.megabytesPerHour) * kMebibyte, m_total)) {}

void RecordBudget::advance(std::int64_t timeUs) {
    m_nowUs = std::max(m_nowUs, timeUs);
    for (const RecordKind kind :
         {RecordKind::kSteps, RecordKind::kMetrics, RecordKind::kEpochs, RecordKind::kHeartbeats}) {
        adapt(kind);
    }
    if (!m_marks.empty() && m_nowUs - m_marks.back().timeUs < kMinuteUs) return;
    Mark& mark = m_marks.emplace_back();
    mark.timeUs = m_nowUs;
    for (std::size_t i = 0; i < kRecordKinds; ++i) mark.spent[i] = m_parts[i].spent;
    while (m_marks.size() > 2 && m_marks[1].timeUs <= m_nowUs - kMinuteUs * 60) m_marks.pop_front();
}

// Returns the number of bytes that may be written until time t. The formula is perHour / 2 + rest * t / (t + T): half
// of the hourly limit is available at the start, and the rest at a decreasing rate. T is chosen such that the first
// hour gets no more than the hourly limit.
std::int64_t RecordBudget::allowedAt(std::int64_t timeUs) const {
    const double atOnce = m_perHour / 2;
    const double rest = m_total - atOnce;
    const double hours = static_cast<double>(timeUs) / kHourUs;
    const double halfwayHours = rest / (m_perHour - atOnce);
    const double all = atOnce + rest * hours / (hours + halfwayHours);
    return std::max<std::int64_t>(static_cast<std::int64_t>(all) - m_others, 0);
}

double RecordBudget::used(RecordKind kind, std::int64_t bytes) const {
    const auto index = static_cast<std::size_t>(kind);
    const auto spent = static_cast<double>(m_parts[index].spent + bytes);
    if (kind == RecordKind::kVital) return spent / kVitalBytes;
    const double before = m_marks.empty() ? 0 : static_cast<double>(m_marks.front().spent[index]);
    return std::max(spent / std::max(kShares[index] * static_cast<double>(allowed()), 1.0),
                    (spent - before) / std::max(kShares[index] * m_perHour, 1.0));
}

bool RecordBudget::spend(RecordKind kind, std::size_t bytes, double upTo) {
    const auto count = static_cast<std::int64_t>(bytes);
    Part& one = part(kind);
    one.wanted += count;
    if (used(kind, count) > upTo) {
        ++one.leftOut;
        return false;
    }
    one.spent += count;
    return true;
}

// Adjusts how many times the kind of data should be halved. At the present rate of writing, the remaining share of this
// kind must last for at least 600 s, including the allowance added in that time.
void RecordBudget::adapt(RecordKind kind) {
    constexpr double kLastSeconds = 600;
    constexpr double kBusy = 0.5;
    constexpr double kPlenty = 4;
    Part& one = part(kind);
    if (one.wanted == 0 || m_nowUs - one.updatedUs < kUpdateUs) return;
    const double seconds = static_cast<double>(m_nowUs - std::exchange(one.updatedUs, m_nowUs)) / 1e6;
    const double wanted = static_cast<double>(std::exchange(one.wanted, 0)) / seconds;
    const double share = kShares[static_cast<std::size_t>(kind)];
    const double all = share * static_cast<double>(allowed());
    const double usedNow = used(kind, 0);
    const double left = std::max(1 - usedNow, 0.0) * std::min(all, share * m_perHour);
    const double coming = share * static_cast<double>(allowedAt(m_nowUs + kHour) - allowed()) / 3600;
    const double lasting = std::max(left / kLastSeconds + coming, 1e-3);
    if (usedNow > kBusy && wanted > lasting) {
        one.halvings = std::min(one.halvings + static_cast<int>(std::ceil(std::log2(wanted / lasting))), kMaxHalvings);
    } else if (one.halvings > 0 && kPlenty * wanted < lasting) {
        --one.halvings;
    }
}

std::int64_t RecordBudget::spent() const {
    return std::accumulate(m_parts.begin(), m_parts.end(), std::int64_t{0},
                           [](std::int64_t sum, const Part& one) { return sum + one.spent; });
}

std::int64_t RecordBudget::linesLeftOut() const {
    return std::accumulate(m_parts.begin(), m_parts.end(), std::int64_t{0},
                           [](std::int64_t sum, const Part& one) { return sum + one.leftOut; });
}

}  // namespace ringside
