// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/sample_finder.h"

#include <algorithm>
#include <limits>

namespace ringside {
namespace {

constexpr std::size_t kPositionsBetweenChecks = std::size_t{1} << 20;
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// Calls visit(position) for every position (index in the list) below `end`; stops early once *stop is set.
template <class Visit>
void forEachPosition(std::size_t end, const std::atomic<bool>* stop, const Visit& visit) {
    for (std::size_t from = 0; from < end && !(stop && *stop); from += kPositionsBetweenChecks) {
        const std::size_t to = std::min(end, from + kPositionsBetweenChecks);
        for (std::size_t position = from; position < to; ++position) visit(position);
    }
}

}  // namespace

SampleFinder::SampleFinder(std::span<const std::uint32_t> list, std::int64_t samples, bool repeats,
                           const std::atomic<bool>* stop) {
    if (repeats) {
        sortBySample(list, samples, stop);
    } else {
        invert(list, samples, stop);
    }
}

void SampleFinder::invert(std::span<const std::uint32_t> list, std::int64_t samples, const std::atomic<bool>* stop) {
    m_positions.assign(static_cast<std::size_t>(samples), kNowhere);
    forEachPosition(list.size(), stop,
                    [&](std::size_t position) { m_positions[list[position]] = static_cast<std::uint32_t>(position); });
}

// Sorts the positions by sample with a counting sort, which is stable: the positions of a sample stay ascending.
void SampleFinder::sortBySample(std::span<const std::uint32_t> list, std::int64_t samples,
                                const std::atomic<bool>* stop) {
    m_begins.assign(static_cast<std::size_t>(samples) + 2, 0);
    forEachPosition(list.size(), stop, [&](std::size_t position) { ++m_begins[list[position] + 2]; });
    if (stop && *stop) return;
    for (std::size_t i = 2; i < m_begins.size(); ++i) m_begins[i] += m_begins[i - 1];
    m_positions.resize(list.size());
    forEachPosition(list.size(), stop, [&](std::size_t position) {
        m_positions[m_begins[list[position] + 1]++] = static_cast<std::uint32_t>(position);
    });
    m_begins.pop_back();
}

std::span<const std::uint32_t> SampleFinder::find(std::int64_t sample) const {
    const auto at = static_cast<std::size_t>(sample);
    if (!m_begins.empty()) return std::span(m_positions).subspan(m_begins[at], m_begins[at + 1] - m_begins[at]);
    const std::span<const std::uint32_t> position = std::span(m_positions).subspan(at, 1);
    return position.front() == kNowhere ? position.first(0) : position;
}

}  // namespace ringside
