// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/shard_plan.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/crypto/sha256.h"
#include "sampling/plan/mistaken_assignment.h"
#include "sampling/plan/sample_finder.h"
#include "sampling/plan/shard_layout.h"
#include "sampling/plan/shard_numbers.h"
#include "sampling/plan/shard_order.h"

namespace ringside {
namespace {

Problems checkRange(const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return {};
    const std::string limit =
        value < least ? "the minimum is " + std::to_string(least) : "the maximum is " + std::to_string(most);
    return {{field, "is " + std::to_string(value) + "; " + limit,
             "choose a value from " + std::to_string(least) + " to " + std::to_string(most)}};
}

Problems checkSampler(const ShardSpec& spec) {
    if (assignsBatches(spec.kind) && spec.batchSize > kMaxDatasetSize / spec.worldSize) {
        return {{"batch size",
                 "is " + std::to_string(spec.batchSize) + "; this sampler fills a batch on each of " +
                     std::to_string(spec.worldSize) +
                     " ranks, and all these batches together may have at most 2147483647 samples",
                 "use a batch size of at most " + std::to_string(kMaxDatasetSize / spec.worldSize)}};
    }
    if (spec.kind == SamplerKind::kSubset && !(spec.subsetFraction > 0 && spec.subsetFraction <= 1)) {
        return {{"sampler.subset_fraction",
                 "is " + std::to_string(spec.subsetFraction) + "; it must be above 0 and at most 1",
                 "choose a fraction such as 0.5"}};
    }
    for (const std::int64_t weight : spec.classWeights) {
        if (weight >= 0) continue;
        return {{"sampler.class_weights", "contains the weight " + std::to_string(weight) + "; the minimum is 0",
                 "give each class a weight of 0 or more"}};
    }
    return checkRange("sampler.num_samples", spec.numSamples, 0, kMaxDatasetSize);
}

Problems checkSpec(const ShardSpec& spec) {
    for (const Problems& problems :
         {checkRange("dataset size", spec.datasetSize, 0, kMaxDatasetSize),
          checkRange("world size", spec.worldSize, 1, kMaxWorldSize),
          checkRange("batch size", spec.batchSize, 1, INT64_MAX), checkRange("epoch", spec.epoch, 0, INT64_MAX),
          checkRange("pitfalls.wrong_world_size", spec.pitfalls.wrongWorldSize, 0, kMaxWorldSize),
          checkRange("pitfalls.wrong_rank", spec.pitfalls.wrongRank, -1, kMaxWorldSize - 1)}) {
        if (!problems.empty()) return problems;
    }
    if (const Problems problems = checkSampler(spec); !problems.empty()) return problems;
    return checkPitfalls(spec);
}

Problem noMemory(const ShardSpec& spec) {
    return {"dataset size",
            "is " + std::to_string(spec.datasetSize) + "; the order of these samples needs " +
                std::to_string(spec.datasetSize >> 18) + " MiB of memory, more than is available",
            "use a smaller data set, or end other programs"};
}

Problem stopped() {
    return {"the plan", "was not completed because it was cancelled", "compute the plan again"};
}

}  // namespace

struct ShardPlan::State {
    ShardSpec spec;
    ShardLayout layout;
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> assigned;  // sample indices of all ranks, rank by rank, if a pitfall gives each rank its
                                          // own order; otherwise empty
    mutable std::mutex makingFinder;
    mutable std::atomic<bool> canFind = false;
    mutable SampleFinder finder;  // finder of the slots of a sample, created on first use

    int samplerRank(int rank) const {
        return spec.pitfalls.wrongRank < 0 ? rank : static_cast<int>(spec.pitfalls.wrongRank);
    }
    // Returns the first rank that passes the rank number `claimed` to the sampler, and how many ranks pass this number.
    std::pair<int, int> ranksWithSamplerRank(int claimed) const {
        if (spec.pitfalls.wrongRank < 0) return {claimed, claimed < spec.worldSize ? 1 : 0};
        return {0, claimed == spec.pitfalls.wrongRank ? static_cast<int>(spec.worldSize) : 0};
    }
    void prepareToFind(const std::atomic<bool>* stop) const {
        if (canFind) return;
        const std::lock_guard lock(makingFinder);
        if (canFind) return;
        finder = SampleFinder(assigned.empty() ? order : assigned, spec.datasetSize,
                              mayRepeatSamples(spec.kind) || !assigned.empty(), stop);
        canFind = !(stop && *stop);
    }
};

Result<ShardPlan> ShardPlan::make(const ShardSpec& spec, const DrawWatch& watch) {
    if (const Problems problems = checkSpec(spec); !problems.empty()) return problems.front();
    auto state = std::make_shared<State>();
    state->spec = spec;
    state->layout = ShardLayout::of(spec);
    try {
        Result<std::vector<std::uint32_t>> order = makeOrder(spec, watch);
        if (!order) return order.problem();
        state->order = std::move(order.value());
        if (hasOrderPerRank(spec.pitfalls)) state->assigned = assignWithMistakes(spec, state->layout, watch.stop);
    } catch (const std::bad_alloc&) {
        return noMemory(spec);
    }
    if (watch.isStopped()) return stopped();
    return ShardPlan(std::move(state));
}

ShardPlan::ShardPlan(std::shared_ptr<const State> state) : m_state(std::move(state)) {}

const ShardSpec& ShardPlan::spec() const {
    return m_state->spec;
}
std::int64_t ShardPlan::samplesPerRank() const {
    return m_state->layout.samplesPerRank;
}
std::int64_t ShardPlan::samplesOf(int rank) const {
    return m_state->layout.samplesOf(rank);
}
std::int64_t ShardPlan::trainedOf(int rank) const {
    return samplesOf(rank) - (spec().loaderDropLast ? samplesOf(rank) % spec().batchSize : 0);
}
std::int64_t ShardPlan::totalSize() const {
    return shardNumbers(spec()).totalSize;
}
std::int64_t ShardPlan::padding() const {
    return shardNumbers(spec()).padding;
}

std::int64_t ShardPlan::stepsPerEpoch() const {
    const std::int64_t full = samplesPerRank() / spec().batchSize;
    const bool partial = samplesPerRank() % spec().batchSize != 0 && !spec().loaderDropLast;
    return full + (partial ? 1 : 0);
}

std::int64_t ShardPlan::lastBatchSize() const {
    return stepsPerEpoch() == 0 ? 0 : batch(stepsPerEpoch() - 1).count;
}

std::span<const std::uint32_t> ShardPlan::order() const {
    return m_state->order;
}

std::span<const std::uint32_t> ShardPlan::dropped() const {
    // each rank has its own order, so there is no common list of dropped samples
    if (!m_state->assigned.empty()) return {};
    const auto used = std::min<std::size_t>(static_cast<std::size_t>(m_state->layout.totalSize()), order().size());
    return order().subspan(used);
}

std::int64_t ShardPlan::position(int rank, std::int64_t slot) const {
    return m_state->layout.position(m_state->samplerRank(rank), slot);
}

std::int64_t ShardPlan::index(int rank, std::int64_t slot) const {
    if (!m_state->assigned.empty()) return m_state->assigned[static_cast<std::size_t>(rank * samplesPerRank() + slot)];
    return m_state->order[static_cast<std::size_t>(m_state->layout.orderIndex(position(rank, slot)))];
}

bool ShardPlan::isPadded(int rank, std::int64_t slot) const {
    return position(rank, slot) >= m_state->layout.orderLength;
}

std::vector<std::int64_t> ShardPlan::indices(int rank) const {
    std::vector<std::int64_t> list(static_cast<std::size_t>(samplesOf(rank)));
    for (std::size_t slot = 0; slot < list.size(); ++slot) list[slot] = index(rank, static_cast<std::int64_t>(slot));
    return list;
}

SlotRange ShardPlan::batch(std::int64_t step) const {
    RINGSIDE_ASSERT(step >= 0 && step < stepsPerEpoch());
    const std::int64_t first = step * spec().batchSize;
    return {first, std::min(spec().batchSize, samplesPerRank() - first)};
}

SlotRange ShardPlan::batch(int rank, std::int64_t step) const {
    const std::int64_t first = step * spec().batchSize;
    return {first, std::clamp<std::int64_t>(trainedOf(rank) - first, 0, spec().batchSize)};
}

std::int64_t ShardPlan::droppedByLoader() const {
    return shardNumbers(spec()).droppedByLoader;
}

SampleSlot ShardPlan::slotAt(int rank, std::int64_t slot) const {
    const std::int64_t step = slot < trainedOf(rank) ? slot / spec().batchSize : -1;
    return {rank, slot, step, position(rank, slot), isPadded(rank, slot)};
}

std::vector<SampleSlot> ShardPlan::usesOf(std::int64_t sample) const {
    if (sample < 0 || sample >= spec().datasetSize) return {};
    prepareToFind();
    return usesAt(m_state->finder.find(sample));
}

void ShardPlan::prepareToFind(const std::atomic<bool>* stop) const {
    m_state->prepareToFind(stop);
}

std::vector<SampleSlot> ShardPlan::usesByScan(std::int64_t sample) const {
    const std::vector<std::uint32_t>& list = m_state->assigned.empty() ? m_state->order : m_state->assigned;
    std::vector<std::uint32_t> found;
    if (sample < 0 || sample >= spec().datasetSize) return {};
    for (auto at = list.begin(); (at = std::find(at, list.end(), static_cast<std::uint32_t>(sample))) != list.end();) {
        found.push_back(static_cast<std::uint32_t>(at++ - list.begin()));
    }
    return usesAt(found);
}

// Returns the slots of a sample. orderPositions: positions of the sample in the order, or, if each rank has its own
// order, in the orders of all ranks one after the other.
std::vector<SampleSlot> ShardPlan::usesAt(std::span<const std::uint32_t> orderPositions) const {
    std::vector<SampleSlot> found;
    const ShardLayout& layout = m_state->layout;
    for (const std::uint32_t at : orderPositions) {
        if (!m_state->assigned.empty()) {
            found.push_back(slotAt(static_cast<int>(at / samplesPerRank()), at % samplesPerRank()));
            continue;
        }
        for (std::int64_t p = at; p < layout.totalSize(); p += layout.orderLength) {
            const auto [first, count] = m_state->ranksWithSamplerRank(layout.rankAt(p));
            for (int rank = first; rank < first + count; ++rank) found.push_back(slotAt(rank, layout.slotAt(p)));
        }
    }
    return found;
}

std::string ShardPlan::hash(int rank) const {
    return hashes(rank, 1).front();
}

std::vector<std::string> ShardPlan::hashes(int first, int count) const {
    // number of slots of each rank that are hashed per pass; the slots of 512 ranks take 512 KiB and fit into a core's
    // L2 cache
    constexpr std::size_t kChunk = 128;
    // Number of values per rank in `chunk`. Not a power of two, because the values of all ranks would then be in the
    // same cache sets.
    constexpr std::size_t kRow = kChunk + 8;
    const auto ranks = static_cast<std::size_t>(count);
    std::vector<Sha256> sums(ranks);
    std::vector<std::int64_t> chunk(ranks * kRow);
    for (std::int64_t from = 0; from < samplesPerRank(); from += kChunk) {
        const std::int64_t to = std::min<std::int64_t>(from + kChunk, samplesPerRank());
        for (std::int64_t slot = from; slot < to; ++slot) {
            std::int64_t* column = chunk.data() + (slot - from);
            for (int rank = first; rank < first + count; ++rank, column += kRow) {
                if (slot < samplesOf(rank)) *column = index(rank, slot);
            }
        }
        for (std::size_t at = 0; at < ranks; ++at) {
            const std::int64_t own = std::min(to, samplesOf(first + static_cast<int>(at)));
            const auto filled = static_cast<std::size_t>(std::max<std::int64_t>(0, own - from));
            sums[at].add(std::as_bytes(std::span(chunk).subspan(at * kRow, filled)));
        }
    }
    std::vector<std::string> texts;
    for (Sha256& sum : sums) texts.push_back(sum.hex());
    return texts;
}

}  // namespace ringside
