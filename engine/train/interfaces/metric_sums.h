// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "comm/communicator.h"
#include "nn/models/loss.h"

namespace ringside {

// Sums of loss and correct predictions over samples, in two variants. The exact sums count each sample once; the padded
// sums also count the duplicates that the sampler adds.
class MetricSums {
  public:
    MetricSums() = default;
    explicit MetricSums(const std::array<double, 7>& values) : m_sums(values) {}
    // returns the sums in the form that checkpoints store
    const std::array<double, 7>& values() const { return m_sums; }

    // Adds the results of a batch. The first `unique` samples are not duplicates; all later ones are.
    void add(const SampleLosses& losses, std::size_t unique);
    // Adds up the sums over all ranks of `communicator` and stores the totals on each rank. Collective.
    void sumOverRanks(Communicator& communicator);

    // returns the mean loss over the samples, each counted once; NaN without samples
    double loss() const { return ratio(0, 2); }
    // returns the share of correct predictions (0 to 1), each sample counted once
    double accuracy() const { return ratio(1, 2); }
    std::int64_t samples() const { return static_cast<std::int64_t>(m_sums[2]); }
    double lossPadded() const { return ratio(3, 5); }
    double accuracyPadded() const { return ratio(4, 5); }
    std::int64_t samplesPadded() const { return static_cast<std::int64_t>(m_sums[5]); }

    // Returns the number of batches whose loss was infinite or NaN.
    std::int64_t nonFiniteBatches() const { return static_cast<std::int64_t>(m_sums[6]); }

  private:
    double ratio(std::size_t sum, std::size_t count) const;

    // The seven values, in this order: exact sums of loss, correct predictions and samples; padded sums of loss,
    // correct predictions and samples; number of batches whose loss is not finite.
    std::array<double, 7> m_sums{};
};

// Returns the sum of the values, added in order in double precision.
double sumOf(std::span<const float> values);

}  // namespace ringside
