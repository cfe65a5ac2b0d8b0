// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "nn/models/loss.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/reduce/step_memory.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Losses and hits (1 if the prediction is right) of a batch that is computed in parts: micro-batches or, with
// training.reduction canonical, leaves (groups of samples whose gradients are added first). The device collects them in
// one tensor, which the host reads when the whole batch has been computed.
class StepLosses {
  public:
    struct Sizes {
        std::int64_t parts = 1;  // largest number of parts of a batch: micro-batches or leaves (groups of samples)
        std::int64_t rows = 1;   // largest number of samples of a part
        std::int64_t maxBatch = 1;
        std::int64_t positions = 1;  // number of losses for each sample: the positions of a sequence
        bool countsCorrect = false;

        std::int64_t values() const { return 2 * parts * rows * positions; }
    };
    // leaves: leaves (groups of samples) of the batch, which determine the order of its samples; null if the parts are
    // micro-batches. All arguments must outlive this object.
    StepLosses(const Sizes& sizes, const LeafBatches* leaves, Backend& backend, StepMemory& memory);

    // Enqueues copies of the losses and hits of one part of the batch.
    void record(const LossRows& rows, int part);
    // Returns the results of all parts in the device's memory: the losses of the parts one after the other, then the
    // hits in the same order.
    const Tensor& values() const { return m_values; }

    // Return the results of a batch of `rows` samples, valid until the next call. read() takes a copy of values() in
    // host memory; fetch() copies it, which blocks. inLeaves: true if the parts are leaves (groups of samples).
    SampleLosses read(std::span<const float> values, std::int64_t rows, bool inLeaves);
    SampleLosses fetch(std::int64_t rows, bool inLeaves);
    // lossesAndHits() contains the losses of the last batch in the order of its samples, followed by one hit per
    // sample. In a pipeline, the rank of the last stage broadcasts this memory. ofBatch() returns its contents for a
    // batch of `rows` samples.
    std::span<float> lossesAndHits() { return m_samples; }
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
