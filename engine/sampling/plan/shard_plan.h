// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/pitfalls_config.h"
#include "config/sampler_kind.h"
#include "sampling/random/draw_watch.h"

namespace ringside {

class ClassLabels;

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

    SamplerKind kind = SamplerKind::kDistributed;
    std::shared_ptr<const ClassLabels> data = {};  // for kinds that need classes; compared by identity
    std::int64_t numSamples = 0;                   // kinds that repeat draws: length of the order; 0 = datasetSize
    std::vector<std::int64_t> classWeights = {};   // weighted kinds; empty = 1 / the class's number of samples
    double subsetFraction = 0.5;                   // subset: of randperm(n) seeded with subsetSeed, rounded
    std::int64_t subsetSeed = 0;
    std::vector<std::int64_t> subsetIndices = {};  // subset: these instead, each once
    PitfallsConfig pitfalls = {};                  // distributed only
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
    std::int64_t position = 0;  // place in the padded or cut global order (of this rank, when pitfalls part them)
    bool padded = false;
};

// Which sample every rank gets in one epoch, as PyTorch's samplers and DataLoader deal it
// (torch/utils/data/distributed.py, sampler.py, dataloader.py). Immutable and cheap to copy; the order is held once,
// 4 bytes a sample; per-rank lists are computed, not stored.
class ShardPlan {
  public:
    // Problems: sizes out of range, a negative epoch, classes that the data does not have, a subset outside the data,
    // pitfalls that PyTorch itself refuses, and a stop by the watch.
    static Result<ShardPlan> make(const ShardSpec& spec, const DrawWatch& watch = {});

    const ShardSpec& spec() const;
    std::int64_t samplesPerRank() const;     // len(sampler), of the longest rank; 0 for an empty shard
    std::int64_t samplesOf(int rank) const;  // the same on all ranks unless the kind is unpadded
    std::int64_t trainedOf(int rank) const;  // those that are in a step
    std::int64_t totalSize() const;          // sum of samplesOf
    std::int64_t padding() const;            // places after the order's end, which repeat it; 0 with drop_last
    std::int64_t stepsPerEpoch() const;      // batches per rank, of the longest rank
    std::int64_t lastBatchSize() const;      // of the last step, per rank; 0 when there is no step

    // The sampler's order; n samples unless the kind draws or chooses. With a seed per rank or double sharding, the
    // order that would be dealt without the mistake.
    std::span<const std::uint32_t> order() const;
    std::span<const std::uint32_t> dropped() const;  // dropped by the sampler: tail of the order

    // The sample at a rank's slot, 0 <= slot < samplesOf(rank).
    std::int64_t index(int rank, std::int64_t slot) const;
    std::int64_t position(int rank, std::int64_t slot) const;
    bool isPadded(int rank, std::int64_t slot) const;   // a duplicate added to fill the ranks up
    std::vector<std::int64_t> indices(int rank) const;  // what list(sampler) gives

    SlotRange batch(std::int64_t step) const;            // of the longest rank; step < stepsPerEpoch()
    SlotRange batch(int rank, std::int64_t step) const;  // may be shorter, or empty, when the kind is unpadded
    std::int64_t droppedByLoader() const;                // slots per rank that the loader's drop_last leaves out

    // All places of a sample (several when padded or drawn again), empty when no rank gets it. O(1) after a first O(n)
    // call, or after prepareToFind().
    std::vector<SamplePlace> places(std::int64_t sample) const;
    void prepareToFind(const std::atomic<bool>* stop = nullptr) const;  // given up soon after *stop is set

    // The same for one sample of a plan that is asked but once: O(n) each time, and remembers nothing.
    std::vector<SamplePlace> placesByScan(std::int64_t sample) const;

    // SHA-256 over the rank's indices as little-endian int64, in hex.
    std::string hash(int rank) const;
    // The same of the ranks [first, first + count): together they read the order once, one by one each reads all of it.
    std::vector<std::string> hashes(int first, int count) const;

  private:
    struct State;
    SamplePlace placeAt(int rank, std::int64_t slot) const;
    std::vector<SamplePlace> placesAt(std::span<const std::uint32_t> orderPlaces) const;
    explicit ShardPlan(std::shared_ptr<const State> state);
    std::shared_ptr<const State> m_state;
};

}  // namespace ringside
