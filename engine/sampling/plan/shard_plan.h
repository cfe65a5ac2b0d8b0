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

// Parameters that determine which rank trains which sample in one epoch. Names as in
// torch.utils.data.DistributedSampler and DataLoader.
struct ShardSpec {
    std::int64_t datasetSize = 0;  // number of samples, 0 .. 2^31-1
    std::int64_t worldSize = 1;    // number of ranks, 1 .. 4096
    std::int64_t epoch = 0;
    std::int64_t seed =
        0;  // seed of the shuffle; a negative seed wraps to 2^64 + seed, as in torch.Generator.manual_seed
    bool shuffle = true;
    bool dropLast = false;  // option drop_last of the sampler
    std::int64_t batchSize = 1;
    bool loaderDropLast = false;

    SamplerKind kind = SamplerKind::kDistributed;
    std::shared_ptr<const ClassLabels> data =
        {};                       // class labels, for samplers that assign by class; compared by pointer
    std::int64_t numSamples = 0;  // number of draws, for samplers that can repeat samples; 0 = datasetSize
    std::vector<std::int64_t> classWeights =
        {};  // weight of each class, for weighted samplers; if empty, each weight is 1 / number of samples of the class
    double subsetFraction =
        0.5;  // for kSubset: fraction of the data set to use, the first samples of randperm(n) seeded with subsetSeed
    std::int64_t subsetSeed = 0;
    // for kSubset: indices of the samples to use, without repetition; if empty, subsetFraction applies
    std::vector<std::int64_t> subsetIndices = {};
    PitfallsConfig pitfalls = {};  // deliberate mistakes; for the distributed sampler only
    bool operator==(const ShardSpec&) const = default;
};

// Slots [first, first + count) of one rank.
struct SlotRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// Use of a sample in a rank's index list.
struct SampleSlot {
    int rank = 0;
    std::int64_t slot = 0;  // position in the rank's own index list, counted from 0
    std::int64_t step = 0;  // number of the rank's batch, counted from 0; -1 when the loader drops the slot
    // Index in the padded or truncated global order. With pitfalls that give each rank its own order, the index in that
    // order.
    std::int64_t position = 0;
    bool padded = false;
};

// Assignment of samples to ranks in one epoch, equal to that of PyTorch's samplers and DataLoader
// (torch/utils/data/distributed.py, sampler.py, dataloader.py).
//
// Immutable and cheap to copy: copies share the order, which takes 4 bytes per sample and is freed with the last copy.
// Spans that a plan returns are valid while a copy of the plan exists. The lists of the ranks are computed on demand
// and not stored. Exceptions: with the pitfalls seed per rank and double sharding, the plan stores the lists of all
// ranks, 4 bytes per slot; the first usesOf() creates an index of 4 bytes per sample, or more if samples repeat.
//
// The caller must pass a rank from 0 to spec().worldSize - 1. Thread-safe: any thread may call any function.
class ShardPlan {
  public:
    // Creates a plan; takes O(datasetSize). Problems: sizes out of range, a negative epoch, data without the classes
    // that the sampler needs, a subset outside the data, negative class weights, pitfalls that PyTorch itself refuses,
    // not enough memory for the order, and a stop request through `watch`.
    static Result<ShardPlan> make(const ShardSpec& spec, const DrawWatch& watch = {});

    const ShardSpec& spec() const;
    std::int64_t samplesPerRank() const;  // returns len(sampler) of the rank with the most samples; 0 for an empty
                                          // shard
    // Returns the rank's number of samples, equal on all ranks unless the kind is unpadded.
    std::int64_t samplesOf(int rank) const;
    std::int64_t trainedOf(int rank) const;  // returns the number of samples that the rank trains, that is, samplesOf()
                                             // without the samples that the loader drops
    std::int64_t totalSize() const;          // returns the sum of samplesOf() over the ranks
    std::int64_t padding() const;            // returns the number of positions that repeat the order after its end; 0
                                             // with drop_last
    std::int64_t stepsPerEpoch() const;      // returns the number of batches of the rank with the most samples:
                                             // len(DataLoader)
    std::int64_t lastBatchSize() const;      // returns the number of samples per rank in the last step; 0 if there is
                                             // no step

    // Returns the sampler's order. Its length is datasetSize unless the kind repeats draws or selects a subset. With
    // the pitfalls seed per rank and double sharding, returns the order of a run without pitfalls.
    std::span<const std::uint32_t> order() const;
    // Returns the samples that the sampler drops: the end of the order. Empty with the pitfalls seed per rank and
    // double sharding.
    std::span<const std::uint32_t> dropped() const;

    // Returns the sample in a rank's slot, 0 <= slot < samplesOf(rank).
    std::int64_t index(int rank, std::int64_t slot) const;
    std::int64_t position(int rank, std::int64_t slot) const;
    // True if the slot is padding: it repeats a sample so that all ranks get the same number of samples.
    bool isPadded(int rank, std::int64_t slot) const;
    std::vector<std::int64_t> indices(int rank) const;  // returns the same indices as list(sampler)

    // Returns the slots of a batch on the rank with the most samples; step < stepsPerEpoch().
    SlotRange batch(std::int64_t step) const;
    // Returns the slots of a batch on the given rank. Without padding, the last batch of a rank can be smaller or
    // empty.
    SlotRange batch(int rank, std::int64_t step) const;
    // Returns the number of slots of all ranks that the loader's drop_last omits.
    std::int64_t droppedByLoader() const;

    // Returns all uses of a sample: several if it is padded or drawn again, none if no rank gets it. The first call
    // takes O(n) unless prepareToFind() was called; later calls take O(1).
    std::vector<SampleSlot> usesOf(std::int64_t sample) const;
    // Creates the index by sample that usesOf() needs. Returns early after *stop is set.
    void prepareToFind(const std::atomic<bool>* stop = nullptr) const;

    // Equal to usesOf(), but without an index: O(n) per call and no additional memory. For plans that are queried once.
    std::vector<SampleSlot> usesByScan(std::int64_t sample) const;

    // Returns the SHA-256 of the rank's indices as little-endian int64, in hexadecimal.
    std::string hash(int rank) const;
    // Returns hash() of the ranks [first, first + count). Reads the order once for all ranks, not once per rank.
    std::vector<std::string> hashes(int first, int count) const;

  private:
    struct State;
    SampleSlot slotAt(int rank, std::int64_t slot) const;
    std::vector<SampleSlot> usesAt(std::span<const std::uint32_t> orderPositions) const;
    explicit ShardPlan(std::shared_ptr<const State> state);
    std::shared_ptr<const State> m_state;
};

}  // namespace ringside
