// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "data/dataset.h"
#include "nn/loss.h"

namespace ringside {

// Puts samples together into batches on the backend's device. Allocates only when made.
class BatchGatherer {
  public:
    // The dataset and the backend outlive the gatherer.
    BatchGatherer(const Dataset& dataset, Backend& backend, std::int64_t maxBatch);

    // The samples with these indices, in this order; valid until the next call. Throws TrainingError naming the
    // sample whose label is no class.
    Batch gather(std::span<const std::int64_t> indices);

  private:
    void fillHost(std::span<const std::int64_t> indices);
    std::int64_t checkedLabel(std::int64_t index) const;

    const Dataset& m_dataset;
    Backend& m_backend;
    bool m_onHost;  // the batch's tensors are host memory: samples go there directly
    Batch m_batch;  // of maxBatch rows
    std::vector<float> m_features;
    std::vector<std::int64_t> m_labels;
    std::vector<float> m_targets;
};

}  // namespace ringside
