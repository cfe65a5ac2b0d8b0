// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "nn/models/loss.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/reduce/step_memory.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Losses and hits of a batch, each micro-batch or leaf of which is computed on its own. The device collects them in one
// tensor, which the host reads when the whole batch has been computed.
class StepLosses {
  public:
    struct Sizes {
        std::int64_t parts = 1;  // most micro-batches or leaves of a batch
        std::int64_t rows = 1;   // most samples of a part
        std::int64_t maxBatch = 1;
        std::int64_t positions = 1;  // rows of the loss for each sample
        bool countsCorrect = false;

        std::int64_t values() const { return 2 * parts * rows * positions; }
    };
    // leaves: the order of the samples in training; null if the parts are micro-batches. All arguments must outlive
    // this object.
    StepLosses(const Sizes& sizes, const LeafBatches* leaves, Backend& backend, StepMemory& memory);

    // Enqueues copies of the results of a part.
    void record(const LossRows& rows, int part);
    // All results on the device: those of the parts one after the other, then the hits in the same order.
    const Tensor& values() const { return m_values; }

    // Return the results of a batch of `rows` samples, valid until the next call. read() takes a copy of values() in
    // host memory; fetch() copies it, which blocks. inLeaves: the parts are leaves.
    SampleLosses read(std::span<const float> values, std::int64_t rows, bool inLeaves);
    SampleLosses fetch(std::int64_t rows, bool inLeaves);
    // The results of the last batch in the order of its samples, then as many hits, for a broadcast from the rank that
    // has read them; ofBatch() returns them for a batch of `rows` samples.
    std::span<float> samples() { return m_samples; }
    SampleLosses ofBatch(std::int64_t rows) const;

  private:
    Sizes m_sizes;
    const LeafBatches* m_leaves;
    Backend& m_backend;
    Tensor m_values;
    std::vector<float> m_copy;     // copy of m_values
    std::vector<float> m_samples;  // losses, then hits, one of each for each sample
};

}  // namespace ringside
