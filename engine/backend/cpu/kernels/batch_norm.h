// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "backend/backend.h"

namespace ringside::cpu {

// Rows of channels: an image of H x W pixels is H * W of them, or so many for each block of its channels. Rows are
// added up in chunks of a fixed size and those in order, so that the result does not depend on the number of threads.
class BatchNorm {
  public:
    explicit BatchNorm(int threads) : m_threads(threads) {}

    // See Backend::batchNormForward and those after it.
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
    // sums(2,C), each over all rows, of what `add` puts into the sums of one chunk.
    template <class Add>
    double* sumOverChunks(const Rows& rows, const Add& add);
    void scaleAndShift(const Tensor& x, const Tensor& y, std::size_t channels);

    int m_threads;
    std::vector<double> m_sums;   // over all, then of every chunk; grows with the first batches
    std::vector<float> m_factor;  // of each channel
    std::vector<float> m_offset;
};

}  // namespace ringside::cpu
