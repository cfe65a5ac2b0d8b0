// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Mean and standard deviation of each image channel over the pixels of a data set.
//
// The data set is divided into kChunks chunks, whose results are merged in a fixed order: the result has the same bits
// regardless of which rank computes which chunk. If the data set has more than kMaxSamples samples, only kMaxSamples
// evenly spaced samples are used.
class ChannelMoments {
  public:
    static constexpr std::int64_t kChunks = 64;
    static constexpr std::int64_t kMaxSamples = 65536;

    explicit ChannelMoments(const Dataset& dataset);

    // Reads the samples of one chunk (a fixed part of the data set) and computes their moments; 0 <= chunk < kChunks.
    void addChunk(std::int64_t chunk);
    // Returns count, mean and sum of squared deviations of each channel for each chunk; 0 for chunks that were not
    // added. If ranks have added different chunks, the sum of their values contains all of these chunks.
    std::span<double> values() { return m_values; }
    // Merges the results of all chunks in order (Chan, Golub, LeVeque 1979). Variances are divided by the count, as in
    // torch.std(unbiased=False). A channel with constant values has the standard deviation 1.
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
    std::vector<double> m_values;  // count, mean and sum of squared deviations for each channel of each chunk (fixed
                                   // part of the data set), by chunk
    std::vector<float> m_sample;
};

// Computes the moments of all chunks of samples in the calling thread and returns the combined moments.
ChannelScale channelScale(const Dataset& dataset);

}  // namespace ringside
