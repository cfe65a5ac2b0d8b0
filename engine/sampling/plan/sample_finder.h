// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

// Inverse of an order: finds the positions (indices in the list) of each sample. Stores one position per sample, 4
// bytes, if no sample repeats, and a list of positions per sample otherwise.
class SampleFinder {
  public:
    SampleFinder() = default;
    // If *stop is set during the constructor, it returns early, and find() then returns wrong positions.
    SampleFinder(std::span<const std::uint32_t> list, std::int64_t samples, bool repeats,
                 const std::atomic<bool>* stop = nullptr);

    // Returns the positions of a sample, ascending. Empty if the list does not contain the sample. 0 <= sample <
    // samples.
    std::span<const std::uint32_t> find(std::int64_t sample) const;

  private:
    void invert(std::span<const std::uint32_t> list, std::int64_t samples, const std::atomic<bool>* stop);
    void sortBySample(std::span<const std::uint32_t> list, std::int64_t samples, const std::atomic<bool>* stop);

    std::vector<std::uint32_t> m_positions;
    // start of each sample's positions in m_positions, samples + 1 entries; empty if no sample repeats
    std::vector<std::uint32_t> m_begins;
};

}  // namespace ringside
