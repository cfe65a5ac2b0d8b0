// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ringside {

inline constexpr std::int64_t kMaxDatasetSize = 2147483647;
inline constexpr std::int64_t kMaxWorldSize = 4096;

// What decides which sample goes where in one epoch. Names as in torch.utils.data.DistributedSampler and DataLoader.
struct ShardSpec {
    std::int64_t datasetSize = 0;  // n, 0 .. 2^31-1
    std::int64_t worldSize = 1;    // 1 .. 4096
    std::int64_t epoch = 0;
    std::int64_t seed = 0;  // may be negative: wraps as torch.Generator.manual_seed does
    bool shuffle = true;
    bool dropLast = false;  // the sampler's
    std::int64_t batchSize = 1;
    bool loaderDropLast = false;
    bool operator==(const ShardSpec&) const = default;
};

// Slots [first, first + count) of one rank.
struct SlotRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// One place where a sample is used.
struct SamplePlace {
    int rank = 0;
    std::int64_t slot = 0;      // 0-based position in the rank's own index list
    std::int64_t step = 0;      // 0-based batch of that rank; -1 when the loader drops the slot
    std::int64_t position = 0;  // place in the padded or cut global order
    bool padded = false;
};

// Which sample every rank gets in one epoch, as DistributedSampler and DataLoader deal it
// (torch/utils/data/distributed.py, dataloader.py). Immutable and cheap to copy; the order is held once,
// 4 bytes a sample; per-rank lists are computed, not stored.
class ShardPlan {
  public:
    // Problems: sizes out of range, a negative epoch.
    static Result<ShardPlan> make(const ShardSpec& spec);

    const ShardSpec& spec() const;
    std::int64_t samplesPerRank() const;  // len(sampler): same on all ranks, 0 for an empty shard
    std::int64_t totalSize() const;       // samplesPerRank * worldSize
    std::int64_t padding() const;         // duplicated samples, 0 with drop_last
    std::int64_t stepsPerEpoch() const;   // batches per rank
    std::int64_t lastBatchSize() const;   // of the last step, per rank; 0 when there is no step

    std::span<const std::uint32_t> order() const;    // the (shuffled) order of all n samples
    std::span<const std::uint32_t> dropped() const;  // dropped by the sampler: tail of the order

    // The sample at a rank's slot, 0 <= slot < samplesPerRank().
    std::int64_t index(int rank, std::int64_t slot) const;
    std::int64_t position(int rank, std::int64_t slot) const;
    bool isPadded(int rank, std::int64_t slot) const;   // a duplicate added to fill the ranks up
    std::vector<std::int64_t> indices(int rank) const;  // what list(sampler) gives

    SlotRange batch(std::int64_t step) const;  // same for every rank; step < stepsPerEpoch()
    std::int64_t droppedByLoader() const;      // slots per rank that the loader's drop_last leaves out

    // All places of a sample (several when padded), empty when dropped. O(1) after a first O(n) call.
    std::vector<SamplePlace> places(std::int64_t sample) const;

    // SHA-256 over the rank's indices as little-endian int64, in hex.
    std::string hash(int rank) const;

  private:
    struct State;
    explicit ShardPlan(std::shared_ptr<const State> state);
    std::shared_ptr<const State> m_state;
};

}  // namespace ringside
