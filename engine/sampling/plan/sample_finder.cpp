// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/sample_finder.h"

#include <algorithm>
#include <limits>

namespace ringside {
namespace {

constexpr std::size_t kPlacesBetweenLooks = std::size_t{1} << 20;
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// Calls visit(place) for every place (index in the list) below `end`; stops early once *stop is set.
template <class Visit>
void forEachPlace(std::size_t end, const std::atomic<bool>* stop, const Visit& visit) {
    for (std::size_t from = 0; from < end && !(stop && *stop); from += kPlacesBetweenLooks) {
        const std::size_t to = std::min(end, from + kPlacesBetweenLooks);
        for (std::size_t place = from; place < to; ++place) visit(place);
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
    m_places.assign(static_cast<std::size_t>(samples), kNowhere);
    forEachPlace(list.size(), stop,
                 [&](std::size_t place) { m_places[list[place]] = static_cast<std::uint32_t>(place); });
}

// Sorts the places by sample with a counting sort, which is stable: the places of a sample stay ascending.
void SampleFinder::sortBySample(std::span<const std::uint32_t> list, std::int64_t samples,
                                const std::atomic<bool>* stop) {
    m_begins.assign(static_cast<std::size_t>(samples) + 2, 0);
    forEachPlace(list.size(), stop, [&](std::size_t place) { ++m_begins[list[place] + 2]; });
    if (stop && *stop) return;
    for (std::size_t i = 2; i < m_begins.size(); ++i) m_begins[i] += m_begins[i - 1];
    m_places.resize(list.size());
    forEachPlace(list.size(), stop,
                 [&](std::size_t place) { m_places[m_begins[list[place] + 1]++] = static_cast<std::uint32_t>(place); });
    m_begins.pop_back();
}

std::span<const std::uint32_t> SampleFinder::find(std::int64_t sample) const {
    const auto at = static_cast<std::size_t>(sample);
    if (!m_begins.empty()) return std::span(m_places).subspan(m_begins[at], m_begins[at + 1] - m_begins[at]);
    const std::span<const std::uint32_t> place = std::span(m_places).subspan(at, 1);
    return place.front() == kNowhere ? place.first(0) : place;
}

}  // namespace ringside
