// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/step_grain.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace ringside {
namespace {

constexpr int kWidest = 40;  // maximum number of times that the width of windows is doubled

}  // namespace

StepGrain::StepGrain(std::int64_t stepsBefore, std::int64_t logEvery)
    : m_stepsBefore(std::max<std::int64_t>(stepsBefore, 0)), m_logEvery(std::max<std::int64_t>(logEvery, 1)) {}

// Returns the range of steps around `step` in which all windows have the same width. A range ends where the number of
// steps has doubled, and where widen() has changed the width.
StepGrain::Region StepGrain::regionOf(std::int64_t step) const {
    const std::int64_t logged = std::max<std::int64_t>(step - m_stepsBefore - 1, 0) / m_logEvery;
    const int doubling =
        logged < kSingles || !m_grows
            ? 0
            : std::min(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(logged / kSingles))), kWidest);
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    const auto endOf = [&](int one) {
        return kSingles > (most / m_logEvery) >> one ? most : m_stepsBefore + m_logEvery * (kSingles << one);
    };
    Region region;
    region.after = doubling > 0 ? endOf(doubling - 1) : m_stepsBefore;
    region.last = endOf(doubling);
    int wider = 0;
    for (const Change& change : m_changes) {
        if (change.after < step) {
            wider = change.doublings;
            region.after = std::max(region.after, change.after);
        } else {
            region.last = std::min(region.last, change.after);
        }
    }
    constexpr std::int64_t kFirstWidth = kSingles / kPerDoubling;
    const std::int64_t own = doubling > 0 ? kFirstWidth << (doubling - 1) : 1;
    region.width = own > (most / m_logEvery) >> wider ? most : m_logEvery * (own << wider);
    return region;
}

StepGrain::Window StepGrain::windowOf(std::int64_t step) const {
    const Region region = regionOf(step);
    const std::int64_t before = (step - 1) / region.width * region.width;
    const std::int64_t end =
        before > std::numeric_limits<std::int64_t>::max() - region.width ? region.last : before + region.width;
    return {std::max(before, region.after) + 1, std::min(end, region.last)};
}

void StepGrain::widen(std::int64_t afterStep, int doublings) {
    constexpr std::size_t kRemembered = 16;
    const std::int64_t earliest = m_changes.empty() ? m_stepsBefore : m_changes.back().after;
    m_changes.push_back({std::max(afterStep, earliest), std::clamp(doublings, 0, kWidest)});
    if (m_changes.size() > kRemembered) m_changes.erase(m_changes.begin());
}

}  // namespace ringside
