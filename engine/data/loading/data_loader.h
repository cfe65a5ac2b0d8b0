// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "config/run_config.h"
#include "data/loading/batch_memory.h"
#include "data/loading/host_batch.h"
#include "data/loading/prefetch_queue.h"
#include "data/loading/sample_transforms.h"
#include "data/loading/sample_writer.h"
#include "data/sets/common/dataset.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// How batches are loaded; names as in torch.utils.data.DataLoader.
struct DataLoaderOptions {
    std::int64_t numWorkers = 0;      // threads; 0: the caller's
    std::int64_t prefetchFactor = 2;  // batches for each of them that may wait
    bool persistentWorkers = false;
    // A test's way to load other samples than planned; called with the epoch and the batch's first slot.
    using ChangeIndices = std::function<void(std::int64_t, std::int64_t, std::span<std::int64_t>)>;
    ChangeIndices changeIndices = {};
};
DataLoaderOptions dataLoaderOptions(const RunConfig& config);

// One rank's batches, epoch by epoch. What they hold does not depend on the options. Allocates at the start of an
// epoch, never for a batch. One thread calls it.
class DataLoader {
  public:
    // Everything given by reference outlives the loader.
    DataLoader(const Dataset& dataset, const SampleTransforms& transforms, const DataLoaderOptions& options,
               std::int64_t maxBatch, BatchMemory& memory);

    // Batch k of the epoch is plan.batch(k) of the rank; random transforms draw by `epoch`.
    void begin(const ShardPlan& plan, int rank, std::int64_t epoch, std::int64_t firstBatch = 0);
    // The next batch, valid until the next call. Throws SampleError, in the caller's thread whoever loaded.
    const HostBatch& next();
    void end();  // of the epoch, which may not be over: workers stop where they are

  private:
    struct Slot {
        HostBatch whole;  // maxBatch rows
        HostBatch batch;  // those in use
    };

    void allocateSlot();
    HostBatch head(const HostBatch& whole, std::int64_t rows) const;
    void load(std::int64_t batch, std::size_t slot, std::size_t worker, const PrefetchQueue* queue);

    const DataLoaderOptions m_options;
    const std::int64_t m_maxBatch;
    const std::int64_t m_features;  // values of a sample
    const std::int64_t m_labels;    // of a sample
    const std::int64_t m_targets;
    BatchMemory& m_memory;
    std::vector<SampleWriter> m_writers;  // one for each worker
    std::vector<Slot> m_slots;

    std::optional<ShardPlan> m_plan;  // of the epoch
    int m_rank = 0;
    std::int64_t m_epoch = 0;
    std::int64_t m_firstBatch = 0;
    std::int64_t m_batch = 0;                // the next one after it, when the caller loads itself
    std::unique_ptr<PrefetchQueue> m_queue;  // none without workers; the last member: its threads use the others
};

}  // namespace ringside
