// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "nn/models/loss.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/reduce/step_memory.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Losses and correct predictions (1: correct, 0: wrong) of a batch that is computed in parts. The parts are
// micro-batches or, with training.reduction canonical, leaves (groups of samples whose gradients are added first). The
// device collects the results of all parts in one tensor; the host reads it after the last part.
class StepLosses {
  public:
    struct Sizes {
        std::int64_t parts = 1;  // maximum number of parts of a batch: micro-batches or leaves (groups of samples)
        std::int64_t rows = 1;   // maximum number of samples in a part
        std::int64_t maxBatch = 1;
        std::int64_t positions = 1;  // number of losses per sample: 1, or the length of the sequences
        bool countsCorrect = false;

        std::int64_t values() const { return 2 * parts * rows * positions; }
    };
    // leaves: assignment of the batch's samples to leaves (groups of samples); null if the parts are always
    // micro-batches. All arguments must outlive this object.
    StepLosses(const Sizes& sizes, const LeafBatches* leaves, Backend& backend, StepMemory& memory);

    // Enqueues copies of the losses and correct predictions of one part of the batch into values(). part: index of the
    // part.
    void record(const LossRows& rows, int part);
    // Returns the results in the device's memory: the losses of all parts, then the correct predictions of all
    // parts.
    const Tensor& values() const { return m_values; }

    // Return the results of a batch of `rows` samples, in the order of the samples. The results are valid until the
    // next call. read() reads `values`, a host copy of values(). fetch() copies from the device and blocks until the
    // results are available. inLeaves: true if the parts are leaves (groups of samples).
    SampleLosses read(std::span<const float> values, std::int64_t rows, bool inLeaves);
    SampleLosses fetch(std::int64_t rows, bool inLeaves);
    // lossesAndCorrect() returns the memory with the results of the last batch in the order of its samples: first all
    // losses, then all correct predictions. In a pipeline, the rank of the last stage broadcasts this memory to the
    // other stages. ofBatch() returns the results of the first `rows` samples in it.
    std::span<float> lossesAndCorrect() { return m_samples; }
    SampleLosses ofBatch(std::int64_t rows) const;

  private:
    Sizes m_sizes;
    const LeafBatches* m_leaves;
    Backend& m_backend;
    Tensor m_values;
    std::vector<float> m_copy;     // copy of m_values
    std::vector<float> m_samples;  // losses of all samples, followed by their correct predictions
};

}  // namespace ringside
