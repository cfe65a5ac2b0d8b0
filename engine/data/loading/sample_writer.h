// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "data/loading/host_batch.h"
#include "data/loading/prefetch_queue.h"
#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Puts samples into batches, transformed. One for each thread; allocates only when made.
class SampleWriter {
  public:
    // Data set and transforms outlive it.
    SampleWriter(const Dataset& dataset, const SampleTransforms& transforms);

    // The samples batch.indices, each to its row; leaves off when the queue, which may be null, is cancelled. Throws
    // SampleError naming the sample that cannot be read or whose label is no class.
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
