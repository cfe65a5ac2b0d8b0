// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "comm/communicator.h"
#include "nn/models/loss.h"

namespace ringside {

// Sums of loss and correct predictions over samples, in two variants: each sample once (exact), and with the sampler's
// duplicates (padded).
class MetricSums {
  public:
    MetricSums() = default;
    explicit MetricSums(const std::array<double, 7>& values) : m_sums(values) {}
    const std::array<double, 7>& values() const { return m_sums; }  // returns the sums for checkpoints

    // Adds the results of a batch. Only its first `unique` samples are not duplicates.
    void add(const SampleLosses& losses, std::size_t unique);
    // Replaces the sums on each rank by the sums over all ranks of `communicator`. Collective.
    void sumOverRanks(Communicator& communicator);

    double loss() const { return ratio(0, 2); }      // returns the mean loss over the samples; NaN without samples
    double accuracy() const { return ratio(1, 2); }  // returns the share of correct samples, 0..1
    std::int64_t samples() const { return static_cast<std::int64_t>(m_sums[2]); }
    double lossPadded() const { return ratio(3, 5); }
    double accuracyPadded() const { return ratio(4, 5); }
    std::int64_t samplesPadded() const { return static_cast<std::int64_t>(m_sums[5]); }

    // Returns the number of batches whose loss was infinite or NaN.
    std::int64_t nonFiniteBatches() const { return static_cast<std::int64_t>(m_sums[6]); }

  private:
    double ratio(std::size_t sum, std::size_t count) const;

    // the values in order: exact loss, correct predictions and samples; padded loss, correct predictions and samples;
    // batches without a finite loss
    std::array<double, 7> m_sums{};
};

// Returns the sum of the values, added one after the other in double precision.
double sumOf(std::span<const float> values);

}  // namespace ringside
