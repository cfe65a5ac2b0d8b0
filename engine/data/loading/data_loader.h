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

// Options of a DataLoader; the names are those of torch.utils.data.DataLoader.
struct DataLoaderOptions {
    std::int64_t numWorkers = 0;      // number of loader threads; 0: the calling thread loads
    std::int64_t prefetchFactor = 2;  // number of batches that each worker loads in advance
    bool persistentWorkers = false;
    // Function with which a test replaces the sample indices of a batch. Arguments: the epoch, the position of the
    // batch's first sample in the rank's list, and the indices of the batch, which the function may change.
    using ChangeIndices = std::function<void(std::int64_t, std::int64_t, std::span<std::int64_t>)>;
    ChangeIndices changeIndices = {};
};
// Returns the options for the section "loader" of an experiment.
DataLoaderOptions dataLoaderOptions(const RunConfig& config);

// Loads the batches of one rank, epoch by epoch. The options do not affect the content of the batches. Allocates memory
// only at the start of an epoch. Not thread-safe: all calls must come from one thread.
class DataLoader {
  public:
    // All references must outlive the loader. No batch has more than `maxBatch` samples.
    DataLoader(const Dataset& dataset, const SampleTransforms& transforms, const DataLoaderOptions& options,
               std::int64_t maxBatch, BatchMemory& memory);

    // Starts an epoch at batch `firstBatch`. Batch k consists of the samples that plan.batch(k) assigns to `rank`.
    // Random transforms depend on `epoch`.
    void begin(const ShardPlan& plan, int rank, std::int64_t epoch, std::int64_t firstBatch = 0);
    // Returns the next batch, which is valid until the next call. Blocks until it is loaded, without a timeout. Throws
    // SampleError in the calling thread, even if a worker failed.
    const HostBatch& next();
    void end();  // ends the epoch, even in the middle; workers stop loading

  private:
    struct Slot {
        HostBatch whole;  // memory of maxBatch rows
        HostBatch batch;  // rows of `whole` that contain the current batch
    };

    void allocateSlot();
    HostBatch firstRows(const HostBatch& whole, std::int64_t rows) const;
    void loadBatch(std::int64_t batch, std::size_t slot, std::size_t worker, const PrefetchQueue* queue);

    const DataLoaderOptions m_options;
    const std::int64_t m_maxBatch;
    const std::int64_t m_features;  // number of values per sample
    const std::int64_t m_labels;    // number of labels per sample
    const std::int64_t m_targets;
    BatchMemory& m_memory;
    std::vector<SampleWriter> m_writers;  // one writer of samples for each worker; one if there are no workers
    std::vector<Slot> m_slots;

    std::optional<ShardPlan> m_plan;  // plan of the current epoch
    int m_rank = 0;
    std::int64_t m_epoch = 0;
    std::int64_t m_firstBatch = 0;
    std::int64_t m_batch = 0;                // next batch, counted from m_firstBatch; used if there are no workers
    std::unique_ptr<PrefetchQueue> m_queue;  // queue of the workers; null without workers; declared last because its
                                             // threads use the other members
};

}  // namespace ringside
