// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "backend/backend.h"

namespace ringside::cpu {

// Batch norm over rows of channels. An image of H x W pixels has H * W rows, or H * W rows for each block of channels.
// Rows are added in chunks of a fixed size, and the chunks in their order, so that the result does not depend on the
// number of threads.
class BatchNorm {
  public:
    explicit BatchNorm(int threads) : m_threads(threads) {}

    // These functions implement the operations of Backend whose names start with batchNorm, such as batchNormForward().
    void forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                 const Tensor& runningVariance, const Tensor& y, const Tensor& moments);
    void evaluate(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                  const Tensor& runningVariance, const Tensor& y);
    void backwardParameters(const Tensor& x, const Tensor& moments, const Tensor& gradY, const Tensor& gradWeight,
                            const Tensor& gradBias);
    void backwardInput(const Tensor& x, const Tensor& moments, const Tensor& weight, const Tensor& gradWeight,
                       const Tensor& gradBias, const Tensor& gradY, const Tensor& gradX);

  private:
    struct Rows;
    template <class Visit>
    void forEachChunk(const Rows& rows, const Visit& visit) const;
    // Returns two sums over all rows for each channel, as an array (2,C). add(...) adds the rows of one chunk to the
    // two sums of this chunk; the sums of all chunks are then added.
    template <class Add>
    double* sumOverChunks(const Rows& rows, const Add& add);
    void scaleAndShift(const Tensor& x, const Tensor& y, std::size_t channels);

    int m_threads;
    std::vector<double> m_sums;   // sums over all rows, then the sums of each chunk; enlarged when a larger batch needs
                                  // more
    std::vector<float> m_factor;  // factor by which each channel's values are multiplied in scaleAndShift()
    std::vector<float> m_offset;
};

}  // namespace ringside::cpu
