// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

// Where in a list each sample stands: the inverse of an order. One list of places when no sample repeats (4 bytes a
// sample), lists by sample otherwise.
class SampleFinder {
  public:
    SampleFinder() = default;
    // When *stop is set, it soon gives up and finds wrong places.
    SampleFinder(std::span<const std::uint32_t> list, std::int64_t samples, bool repeats,
                 const std::atomic<bool>* stop = nullptr);

    // Ascending; empty when the sample is not in the list. 0 <= sample < samples.
    std::span<const std::uint32_t> find(std::int64_t sample) const;

  private:
    void invert(std::span<const std::uint32_t> list, std::int64_t samples, const std::atomic<bool>* stop);
    void sortBySample(std::span<const std::uint32_t> list, std::int64_t samples, const std::atomic<bool>* stop);

    std::vector<std::uint32_t> m_places;
    std::vector<std::uint32_t> m_begins;  // one more than samples; empty when no sample repeats
};

}  // namespace ringside
