// SPDX-License-Identifier: Apache-2.0
#include "sampling/sample_finder.h"

#include <limits>

namespace ringside {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

}  // namespace

SampleFinder::SampleFinder(std::span<const std::uint32_t> list, std::int64_t samples, bool repeats) {
    if (repeats) {
        sortBySample(list, samples);
    } else {
        invert(list, samples);
    }
}

void SampleFinder::invert(std::span<const std::uint32_t> list, std::int64_t samples) {
    m_places.assign(static_cast<std::size_t>(samples), kNowhere);
    for (std::size_t place = 0; place < list.size(); ++place) m_places[list[place]] = static_cast<std::uint32_t>(place);
}

// A counting sort: stable, so that the places of a sample stay ascending.
void SampleFinder::sortBySample(std::span<const std::uint32_t> list, std::int64_t samples) {
    m_begins.assign(static_cast<std::size_t>(samples) + 2, 0);
    for (const std::uint32_t sample : list) ++m_begins[sample + 2];
    for (std::size_t i = 2; i < m_begins.size(); ++i) m_begins[i] += m_begins[i - 1];
    m_places.resize(list.size());
    for (std::size_t place = 0; place < list.size(); ++place) {
        m_places[m_begins[list[place] + 1]++] = static_cast<std::uint32_t>(place);
    }
    m_begins.pop_back();
}

std::span<const std::uint32_t> SampleFinder::find(std::int64_t sample) const {
    const auto at = static_cast<std::size_t>(sample);
    if (!m_begins.empty()) return std::span(m_places).subspan(m_begins[at], m_begins[at + 1] - m_begins[at]);
    const std::span<const std::uint32_t> place = std::span(m_places).subspan(at, 1);
    return place.front() == kNowhere ? place.first(0) : place;
}

}  // namespace ringside
