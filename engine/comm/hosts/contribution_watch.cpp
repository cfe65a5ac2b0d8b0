// SPDX-License-Identifier: Apache-2.0
#include "comm/hosts/contribution_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace ringside {
namespace {

constexpr float kTimesLarger = 1e6F;
constexpr std::uint32_t kMagnitude = 0x7fffffffU;

// Returns the largest magnitude; infinity if a value is not finite. The bits of magnitudes compare like the numbers,
// with infinity and NaN above all finite values, so that the loop vectorises.
float largestOf(std::span<const float> values) {
    std::uint32_t most = 0;
    for (const float value : values) most = std::max(most, std::bit_cast<std::uint32_t>(value) & kMagnitude);
    const auto largest = std::bit_cast<float>(most);
    return std::isfinite(largest) ? largest : std::numeric_limits<float>::infinity();
}

std::string threeDigits(float value) {
    return fmt::format("{:.3g}", static_cast<double>(value));
}

}  // namespace

ContributionWatch::ContributionWatch(std::vector<int> ranks, std::size_t own)
    : m_ranks(std::move(ranks)), m_own(own), m_step(m_ranks.size(), 0.0F), m_before(m_ranks.size(), 0.0F) {}

void ContributionWatch::addValues(std::size_t contributor, std::span<const float> values) {
    m_step[contributor] = std::max(m_step[contributor], largestOf(values));
}

void ContributionWatch::endStep() {
    m_before = m_step;
    std::ranges::fill(m_step, 0.0F);
}

std::optional<Suspicion> ContributionWatch::suspicionIn(const std::vector<float>& largest) const {
    const float own = largest[m_own];
    if (!std::isfinite(own)) return {};
    const float limit = kTimesLarger * std::max(own, 1.0F);
    std::optional<Suspicion> found;
    for (std::size_t i = 0; i < largest.size(); ++i) {
        if (i == m_own || largest[i] < limit) continue;
        if (found) return {};
        const std::string values = std::isfinite(largest[i])
                                       ? "gradients whose largest absolute value is " + threeDigits(largest[i])
                                       : std::string("gradients that contain infinite or NaN values");
        found = Suspicion{m_ranks[i], "the rank sent " + values + ", but the gradients of rank " +
                                          std::to_string(m_ranks[m_own]) + " have absolute values of at most " +
                                          threeDigits(own)};
    }
    return found;
}

std::optional<Suspicion> ContributionWatch::suspectedContributor() const {
    const std::optional<Suspicion> before = suspicionIn(m_before);
    return before ? before : suspicionIn(m_step);
}

}  // namespace ringside
