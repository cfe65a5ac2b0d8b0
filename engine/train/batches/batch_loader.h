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

// Loads the batches of one rank into memory of the backend's device, with its own DataLoader. If batches must be copied
// to the device, the next batch is copied into one of two device buffers while the device computes on the other. Memory
// is allocated only in the constructor and in begin().
class BatchLoader {
  public:
    explicit BatchLoader(const BatchLoaderDependencies& dependencies);

    // Sets the mean and standard deviation of each image channel, by which samples are normalized. Call before the
    // first epoch.
    void setScale(const ChannelScale& scale) { m_transforms.setScale(scale); }

    // These functions behave like the functions of the same names in DataLoader. A batch is valid until the next call
    // of next() or end().
    void begin(const ShardPlan& plan, int rank, std::int64_t epoch, std::int64_t firstBatch = 0);
    Batch next();
    // returns the dataset indices of the samples in the last batch
    std::span<const std::int64_t> indices() const { return m_indices; }
    void end();

  private:
    // Buffer in the device's memory, and the batch that is copied into it.
    struct Travelling {
        Batch whole;  // memory for a batch of the maximum size
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
    // copies batches to the device; null if the device can use the loader's memory
    std::unique_ptr<Uploader> m_uploader;
    std::array<Travelling, 2> m_onDevice;
    std::size_t m_next = 0;  // index in m_onDevice of the buffer that next() returns
    // number of the epoch's remaining batches whose copy to the device has not been started
    std::int64_t m_notSent = 0;
    std::span<const std::int64_t> m_indices;
};

// Returns the mean and standard deviation of each image channel over the training samples. Each rank computes a part.
// The result is bit-identical for any number of ranks. Collective.
ChannelScale sharedChannelScale(const Dataset& training, Communicator& communicator);

}  // namespace ringside
