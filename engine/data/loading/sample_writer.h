// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "data/loading/host_batch.h"
#include "data/loading/prefetch_queue.h"
#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Writes transformed samples into batches. Each thread needs its own writer. Allocates in the constructor only.
class SampleWriter {
  public:
    // `dataset` and `transforms` must outlive the writer.
    SampleWriter(const Dataset& dataset, const SampleTransforms& transforms);

    // Writes sample batch.indices[i] to row i of the batch. Stops early if `queue` is cancelled; `queue` may be null.
    // Throws SampleError, which names the sample, if a sample cannot be read or its label is not a class.
    void write(const HostBatch& batch, std::int64_t epoch, const PrefetchQueue* queue);

  private:
    void writeFeatures(std::int64_t index, std::int64_t epoch, std::span<float> to);
    void writeLabels(std::int64_t index, std::span<std::int64_t> to) const;
    std::int64_t checked(std::int64_t label, std::int64_t index) const;

    const Dataset& m_dataset;
    const SampleTransforms& m_transforms;
    const std::size_t m_features;
    const std::size_t m_labels;
    const std::size_t m_targets;
    std::vector<float> m_untransformed;
};

}  // namespace ringside
