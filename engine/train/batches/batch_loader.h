// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "data/loading/data_loader.h"
#include "nn/models/loss.h"

namespace ringside {

// Dependencies of a BatchLoader. Each reference must outlive the loader.
struct BatchLoaderDependencies {
    const Dataset& dataset;
    const RunConfig& config;
    Backend& backend;
    BatchMemory& memory;
    std::int64_t maxBatch = 1;
    bool training = true;  // true: random transforms are applied to the samples
    DataLoaderOptions::ChangeIndices changeIndices = {};
};

// Batches of one rank in the memory of the backend's device, read by a DataLoader of its own. If batches must be
// copied to the device, the next batch is copied into one of two device buffers while the device computes on the
// other. Allocates memory only in the constructor and in begin().
class BatchLoader {
  public:
    explicit BatchLoader(const BatchLoaderDependencies& dependencies);

    // Sets the mean and deviation of each channel, by which samples are scaled. Call before the first epoch.
    void setScale(const ChannelScale& scale) { m_transforms.setScale(scale); }

    // These functions have the same contract as the functions of the same names in DataLoader. A batch is valid until
    // the next call of next() or end().
    void begin(const ShardPlan& plan, int rank, std::int64_t epoch, std::int64_t firstBatch = 0);
    Batch next();
    std::span<const std::int64_t> indices() const { return m_indices; }  // returns the sample indices of the last batch
    void end();

  private:
    // Device buffer and the batch that has been copied or is being copied into it.
    struct Travelling {
        Batch whole;  // memory of a batch with the maximum number of rows
        Batch batch;
        std::vector<std::int64_t> indices;
        std::exception_ptr error;  // error while loading this batch; next() rethrows it
    };

    void startNextCopy(Travelling& to);
    void startCopy(Travelling& to);

    Backend& m_backend;
    const SampleShape m_shape;
    const std::int64_t m_targetCount;
    SampleTransforms m_transforms;
    DataLoader m_loader;
    std::unique_ptr<Uploader> m_uploader;  // uploader of batches; null if the device computes in the loader's memory
    std::array<Travelling, 2> m_onDevice;
    std::size_t m_next = 0;      // index of the buffer that next() returns
    std::int64_t m_notSent = 0;  // number of the epoch's batches whose copy to the device has not started
    std::span<const std::int64_t> m_indices;
};

// Returns the mean and standard deviation of each channel of the training samples. The ranks share the work; the result
// is bit-identical for any number of ranks. Collective.
ChannelScale sharedChannelScale(const Dataset& training, Communicator& communicator);

}  // namespace ringside
