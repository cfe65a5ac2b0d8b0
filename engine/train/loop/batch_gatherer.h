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

// What a rank's batches are made of; all of it outlives the gatherer.
struct GathererParts {
    const Dataset& dataset;
    const RunConfig& config;
    Backend& backend;
    BatchMemory& memory;
    std::int64_t maxBatch = 1;
    bool training = true;  // with random transforms
    DataLoaderOptions::ChangeIndices changeIndices = {};
};

// One rank's batches on the backend's device, from a loader of its own. Where they have to be copied there, the next
// batch travels while the device computes on the one given: two device buffers take turns. Allocates when made and at
// the start of an epoch.
class BatchGatherer {
  public:
    explicit BatchGatherer(const GathererParts& parts);

    void setScale(const ChannelScale& scale) { m_transforms.setScale(scale); }  // before the first epoch

    // As of DataLoader; a batch is valid until the next call.
    void begin(const ShardPlan& plan, int rank, std::int64_t epoch, std::int64_t firstBatch = 0);
    Batch next();
    std::span<const std::int64_t> indices() const { return m_indices; }  // of that batch's samples
    void end();

  private:
    // A buffer on the device and what is in it or on its way there.
    struct Travelling {
        Batch whole;  // maxBatch rows
        Batch batch;
        std::vector<std::int64_t> indices;
        std::exception_ptr error;  // of loading it: thrown when it is asked for
    };

    void sendNext(Travelling& to);
    void send(Travelling& to);

    Backend& m_backend;
    const SampleShape m_shape;
    const std::int64_t m_targetCount;
    SampleTransforms m_transforms;
    DataLoader m_loader;
    std::unique_ptr<Uploader> m_uploader;  // null where the loader's memory is the device's
    std::array<Travelling, 2> m_onDevice;
    std::size_t m_next = 0;      // which of them next() gives
    std::int64_t m_notSent = 0;  // batches of the epoch
    std::span<const std::int64_t> m_indices;
};

// Mean and deviation of the training samples' channels, the ranks sharing the work: the same bits for any number of
// them.
ChannelScale sharedChannelScale(const Dataset& training, Communicator& communicator);

}  // namespace ringside
