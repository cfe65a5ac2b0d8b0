// SPDX-License-Identifier: Apache-2.0
#include "sampling/shard_plan.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <numeric>

#include "base/sha256.h"
#include "sampling/shard_layout.h"
#include "sampling/torch_random.h"

namespace ringside {
namespace {

Problems checkSpec(const ShardSpec& spec) {
    const auto range = [](const char* field, std::int64_t value, std::int64_t least, std::int64_t most) -> Problems {
        if (value >= least && value <= most) return {};
        const std::string limit =
            value < least ? "the least is " + std::to_string(least) : "the most is " + std::to_string(most);
        return {{field, "is " + std::to_string(value) + "; " + limit,
                 "choose a value from " + std::to_string(least) + " to " + std::to_string(most)}};
    };
    for (const Problems& problems :
         {range("dataset size", spec.datasetSize, 0, kMaxDatasetSize),
          range("world size", spec.worldSize, 1, kMaxWorldSize), range("batch size", spec.batchSize, 1, INT64_MAX),
          range("epoch", spec.epoch, 0, INT64_MAX)}) {
        if (!problems.empty()) return problems;
    }
    return {};
}

// The deck before dealing. seed + epoch is Python's sum: with epoch >= 0 it lies in [-2^63, 2^64 - 2], which
// manual_seed takes, and unsigned addition wraps it in the same way.
std::vector<std::uint32_t> makeOrder(const ShardSpec& spec) {
    if (spec.shuffle) {
        const std::uint64_t seed = static_cast<std::uint64_t>(spec.seed) + static_cast<std::uint64_t>(spec.epoch);
        return TorchGenerator(seed).randperm(spec.datasetSize);
    }
    std::vector<std::uint32_t> order(static_cast<std::size_t>(spec.datasetSize));
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

}  // namespace

struct ShardPlan::State {
    ShardSpec spec;
    ShardLayout layout;
    std::vector<std::uint32_t> order;
    mutable std::once_flag inverted;
    mutable std::vector<std::uint32_t> placeOf;  // the inverse of order, made on demand

    std::uint32_t findPlace(std::int64_t sample) const {
        std::call_once(inverted, [this] {
            placeOf.resize(order.size());
            for (std::size_t place = 0; place < order.size(); ++place) {
                placeOf[order[place]] = static_cast<std::uint32_t>(place);
            }
        });
        return placeOf[static_cast<std::size_t>(sample)];
    }
};

Result<ShardPlan> ShardPlan::make(const ShardSpec& spec) {
    if (const Problems problems = checkSpec(spec); !problems.empty()) return problems.front();
    auto state = std::make_shared<State>();
    state->spec = spec;
    state->layout = ShardLayout::roundRobin(spec);
    try {
        state->order = makeOrder(spec);
    } catch (const std::bad_alloc&) {
        return Problem{"dataset size",
                       "is " + std::to_string(spec.datasetSize) + ", whose order needs " +
                           std::to_string(spec.datasetSize >> 18) + " MiB of memory, more than there is",
                       "use a smaller set, or end other programs"};
    }
    return ShardPlan(std::move(state));
}

ShardPlan::ShardPlan(std::shared_ptr<const State> state) : m_state(std::move(state)) {}

const ShardSpec& ShardPlan::spec() const {
    return m_state->spec;
}
std::int64_t ShardPlan::samplesPerRank() const {
    return m_state->layout.samplesPerRank;
}
std::int64_t ShardPlan::totalSize() const {
    return m_state->layout.totalSize();
}
std::int64_t ShardPlan::padding() const {
    return std::max<std::int64_t>(0, totalSize() - spec().datasetSize);
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
    const auto used = std::min<std::int64_t>(totalSize(), spec().datasetSize);
    return order().subspan(static_cast<std::size_t>(used));
}

std::int64_t ShardPlan::position(int rank, std::int64_t slot) const {
    return m_state->layout.position(rank, slot);
}

std::int64_t ShardPlan::index(int rank, std::int64_t slot) const {
    return m_state->order[static_cast<std::size_t>(m_state->layout.orderPlace(position(rank, slot)))];
}

bool ShardPlan::isPadded(int rank, std::int64_t slot) const {
    return position(rank, slot) >= spec().datasetSize;
}

std::vector<std::int64_t> ShardPlan::indices(int rank) const {
    std::vector<std::int64_t> list(static_cast<std::size_t>(samplesPerRank()));
    for (std::size_t slot = 0; slot < list.size(); ++slot) list[slot] = index(rank, static_cast<std::int64_t>(slot));
    return list;
}

SlotRange ShardPlan::batch(std::int64_t step) const {
    RINGSIDE_ASSERT(step >= 0 && step < stepsPerEpoch());
    const std::int64_t first = step * spec().batchSize;
    return {first, std::min(spec().batchSize, samplesPerRank() - first)};
}

std::int64_t ShardPlan::droppedByLoader() const {
    return spec().loaderDropLast ? samplesPerRank() % spec().batchSize : 0;
}

std::vector<SamplePlace> ShardPlan::places(std::int64_t sample) const {
    if (sample < 0 || sample >= spec().datasetSize) return {};
    const ShardLayout& layout = m_state->layout;
    const std::int64_t kept = samplesPerRank() - droppedByLoader();
    std::vector<SamplePlace> found;
    for (std::int64_t p = m_state->findPlace(sample); p < totalSize(); p += spec().datasetSize) {
        const std::int64_t slot = layout.slotAt(p);
        const std::int64_t step = slot < kept ? slot / spec().batchSize : -1;
        found.push_back({layout.rankAt(p), slot, step, p, p >= spec().datasetSize});
    }
    return found;
}

std::string ShardPlan::hash(int rank) const {
    Sha256 sha;
    std::array<std::int64_t, 1024> chunk{};
    std::size_t filled = 0;
    const auto flush = [&] {
        sha.add(std::as_bytes(std::span(chunk).first(filled)));
        filled = 0;
    };
    for (std::int64_t slot = 0; slot < samplesPerRank(); ++slot) {
        chunk[filled++] = index(rank, slot);
        if (filled == chunk.size()) flush();
    }
    flush();
    return sha.hex();
}

}  // namespace ringside
