// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Mean and standard deviation of each channel over the pixels of a data set, in kChunks pieces that always have the
// same samples: whoever adds which piece, and on however many ranks, the result has the same bits. Of a set with more
// than kMostSamples, so many evenly spaced ones count.
class ChannelMoments {
  public:
    static constexpr std::int64_t kChunks = 64;
    static constexpr std::int64_t kMostSamples = 65536;

    explicit ChannelMoments(const Dataset& dataset);

    void addChunk(std::int64_t chunk);  // 0 <= chunk < kChunks
    // Count, mean and sum of squared distances of each chunk's channels; 0 where a chunk was not added. Chunks of
    // others are put in by adding their values to these.
    std::span<double> values() { return m_values; }
    // From all chunks, merged in order (Chan, Golub, LeVeque 1979); divides by the count, as torch.std(unbiased=False).
    // A constant channel has the deviation 1.
    ChannelScale scale() const;

  private:
    struct Moments {
        double count = 0;
        double mean = 0;
        double squares = 0;
        void merge(const Moments& other);
    };
    static Moments momentsOf(std::span<const float> pixels);

    const Dataset& m_dataset;
    std::size_t m_channels;
    std::vector<double> m_values;  // chunk by chunk, channel by channel
    std::vector<float> m_sample;
};

// All chunks at once, for one process alone.
ChannelScale channelScale(const Dataset& dataset);

}  // namespace ringside
