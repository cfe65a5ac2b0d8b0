// SPDX-License-Identifier: Apache-2.0
#include "sampling/query/plan_query.h"

#include <algorithm>
#include <utility>

#include "sampling/findings/assignment_effects.h"
#include "sampling/findings/plan_marks.h"

namespace ringside {
namespace {

constexpr std::int64_t kSlotsBetweenChecks = 4096;
// A class that contains at most 1 / kRare of all samples is searched sample by sample instead of by a scan of the plan.
constexpr std::size_t kRare = 32;
constexpr std::size_t kLabelBlock = 64;

// Slots and ranks that a query may match.
struct Window {
    std::int64_t firstSlot = 0, lastSlot = 0;  // slots from firstSlot to before lastSlot
    int firstRank = 0, lastRank = 0;
};

Problem outOfRange(const char* what, std::int64_t value, std::int64_t least, std::int64_t most) {
    return {what,
            "is " + std::to_string(value) + ", but the plan has only " + what + "s " + std::to_string(least) + " to " +
                std::to_string(most),
            "search for a number in this range"};
}

std::optional<Problem> checkQuery(const ShardPlan& plan, const PlanQuery& query,
                                  std::span<const std::uint16_t> labels) {
    const ShardSpec& spec = plan.spec();
    const auto outside = [](const std::optional<std::int64_t>& value, std::int64_t least, std::int64_t most) {
        return value && (*value < least || *value > most);
    };
    if (outside(query.sample, 0, spec.datasetSize - 1)) {
        return outOfRange("sample", *query.sample, 0, spec.datasetSize - 1);
    }
    if (outside(query.rank, 0, spec.worldSize - 1)) return outOfRange("rank", *query.rank, 0, spec.worldSize - 1);
    if (outside(query.step, 1, plan.stepsPerEpoch())) return outOfRange("step", *query.step, 1, plan.stepsPerEpoch());
    if (query.label && labels.empty()) {
        return Problem{"class", "cannot be searched for, because this data set has no classes",
                       "search for a sample or a rank"};
    }
    return {};
}

Window windowOf(const ShardPlan& plan, const PlanQuery& query) {
    Window window{0, plan.samplesPerRank(), 0, static_cast<int>(plan.spec().worldSize)};
    if (query.rank) {
        window.firstRank = static_cast<int>(*query.rank);
        window.lastRank = window.firstRank + 1;
    }
    if (query.step) {
        const SlotRange batch = plan.batch(*query.step - 1);
        window.firstSlot = batch.first;
        window.lastSlot = batch.first + batch.count;
    }
    if (query.state == PlanQuery::State::Dropped) {
        std::int64_t first = window.lastSlot;
        for (int rank = window.firstRank; rank < window.lastRank; ++rank) first = std::min(first, plan.trainedOf(rank));
        window.firstSlot = std::max(window.firstSlot, first);
    }
    return window;
}

// True if a slot of the query's window matches the query's step and state on this rank. The window alone does not
// determine this, because the number of trained slots can differ between ranks.
bool hasState(const ShardPlan& plan, const PlanQuery& query, int rank, std::int64_t slot) {
    const bool isTrained = slot < plan.trainedOf(rank);
    if (query.step && !isTrained) return false;
    return query.state != PlanQuery::State::Dropped || !isTrained;
}

// True if the query can also match samples that no rank gets.
bool wantsUnused(const PlanQuery& query) {
    const bool isState = query.state == PlanQuery::State::Any || query.state == PlanQuery::State::Dropped;
    return isState && !query.rank && !query.step;
}

bool hasLabel(const PlanQuery& query, std::span<const std::uint16_t> labels, std::int64_t sample) {
    return !query.label || labels[static_cast<std::size_t>(sample)] == *query.label;
}

// Returns the hits of a query for one sample. Uses ShardPlan::usesOf() instead of a scan.
std::vector<PlanHit> findSample(const ShardPlan& plan, const PlanQuery& query, const Window& window,
                                std::span<const std::uint16_t> labels) {
    std::vector<PlanHit> hits;
    if (!hasLabel(query, labels, *query.sample)) return hits;
    const auto sample = static_cast<std::uint32_t>(*query.sample);
    const std::vector<SampleSlot> uses = plan.usesOf(*query.sample);
    for (const SampleSlot& place : uses) {
        const bool inside = place.slot >= window.firstSlot && place.slot < window.lastSlot &&
                            place.rank >= window.firstRank && place.rank < window.lastRank;
        const bool isDuplicate = query.state != PlanQuery::State::Duplicate || place.padded;
        if (inside && isDuplicate && hasState(plan, query, place.rank, place.slot)) {
            hits.push_back({sample, place.rank, static_cast<std::int32_t>(place.slot)});
        }
    }
    if (uses.empty() && wantsUnused(query)) hits.push_back({sample});
    return hits;
}

// Searches only the last slots of each rank, because repeated (padded) samples are there, and sorts the hits by
// training order.
std::vector<PlanHit> findDuplicates(const ShardPlan& plan, const PlanQuery& query, const Window& window,
                                    std::span<const std::uint16_t> labels) {
    std::vector<PlanHit> hits;
    for (int rank = window.firstRank; rank < window.lastRank; ++rank) {
        const SlotRange padded = paddedSlots(plan, rank);
        const std::int64_t last = std::min(padded.first + padded.count, window.lastSlot);
        for (std::int64_t slot = std::max(padded.first, window.firstSlot); slot < last; ++slot) {
            const std::int64_t sample = plan.index(rank, slot);
            if (!hasLabel(query, labels, sample)) continue;
            hits.push_back({static_cast<std::uint32_t>(sample), rank, static_cast<std::int32_t>(slot)});
        }
    }
    std::ranges::sort(hits, {}, [](const PlanHit& hit) { return std::pair(hit.slot, hit.rank); });
    return hits;
}

// Returns the samples of a class in ascending order, or nothing if there are more than `most`. Counts the matches of a
// block first (the compiler vectorises this), and skips blocks without a match.
std::optional<std::vector<std::uint32_t>> samplesWith(std::span<const std::uint16_t> labels, std::uint16_t label,
                                                      std::size_t most) {
    std::vector<std::uint32_t> found;
    for (std::size_t first = 0; first < labels.size() && found.size() <= most; first += kLabelBlock) {
        const auto block = labels.subspan(first, std::min(kLabelBlock, labels.size() - first));
        std::uint16_t hits = 0;
        for (const std::uint16_t one : block) hits = static_cast<std::uint16_t>(hits + (one == label ? 1 : 0));
        for (std::size_t at = 0; hits > 0 && at < block.size(); ++at) {
            if (block[at] == label) found.push_back(static_cast<std::uint32_t>(first + at));
        }
    }
    if (found.size() > most) return {};
    return found;
}

// Returns the hits of a class with few samples, in training order.
std::vector<PlanHit> findRareLabel(const ShardPlan& plan, std::span<const std::uint16_t> labels, std::uint16_t label,
                                   const std::vector<std::uint32_t>& samples) {
    std::vector<PlanHit> hits;
    std::vector<PlanHit> unused;
    for (const std::uint32_t sample : samples) {
        const std::vector<SampleSlot> uses = plan.usesOf(sample);
        if (uses.empty()) unused.push_back({sample});
        for (const SampleSlot& place : uses) {
            hits.push_back({sample, place.rank, static_cast<std::int32_t>(place.slot)});
        }
    }
    std::ranges::sort(hits, {}, [](const PlanHit& hit) { return std::pair(hit.slot, hit.rank); });
    if (!leavesOutOnlyDropped(plan.spec())) {
        hits.insert(hits.end(), unused.begin(), unused.end());
        return hits;
    }
    for (const std::uint32_t sample : plan.dropped()) {
        if (labels[sample] == label) hits.push_back({sample});
    }
    return hits;
}

bool isOnlyLabel(const PlanQuery& query) {
    return query.label && *query.label >= 0 && *query.label <= UINT16_MAX && !query.rank && !query.step &&
           query.state == PlanQuery::State::Any;
}

std::vector<PlanHit> scan(const ShardPlan& plan, const PlanQuery& query, const Window& window,
                          std::span<const std::uint16_t> labels, const std::atomic<bool>* stop) {
    std::vector<PlanHit> hits;
    for (std::int64_t slot = window.firstSlot; slot < window.lastSlot; ++slot) {
        if (stop && slot % kSlotsBetweenChecks == 0 && *stop) break;
        for (int rank = window.firstRank; rank < window.lastRank; ++rank) {
            if (slot >= plan.samplesOf(rank) || !hasState(plan, query, rank, slot)) continue;
            const std::int64_t sample = plan.index(rank, slot);
            if (hasLabel(query, labels, sample)) {
                hits.push_back({static_cast<std::uint32_t>(sample), rank, static_cast<std::int32_t>(slot)});
            }
        }
    }
    if (!wantsUnused(query)) return hits;
    for (const std::uint32_t sample : unusedSamples(plan, stop)) {
        if (hasLabel(query, labels, sample)) hits.push_back({sample});
    }
    return hits;
}

}  // namespace

Result<std::vector<PlanHit>> findInPlan(const ShardPlan& plan, const PlanQuery& query,
                                        std::span<const std::uint16_t> labels, const std::atomic<bool>* stop) {
    if (auto problem = checkQuery(plan, query, labels)) return *problem;
    const Window window = windowOf(plan, query);
    if (query.sample) return findSample(plan, query, window, labels);
    if (query.state == PlanQuery::State::Duplicate) return findDuplicates(plan, query, window, labels);
    if (isOnlyLabel(query)) {
        const auto label = static_cast<std::uint16_t>(*query.label);
        if (const auto rare = samplesWith(labels, label, labels.size() / kRare)) {
            return findRareLabel(plan, labels, label, *rare);
        }
    }
    return scan(plan, query, window, labels, stop);
}

std::int64_t searchSize(const ShardPlan& plan, const PlanQuery& query) {
    const bool known = !query.step || (*query.step >= 1 && *query.step <= plan.stepsPerEpoch());
    if (query.sample || !known) return 1;
    if (query.state == PlanQuery::State::Duplicate) return plan.padding() + plan.spec().worldSize;
    const Window window = windowOf(plan, query);
    const auto dropped = static_cast<std::int64_t>(plan.dropped().size());
    const bool findsUnused = wantsUnused(query) && !leavesOutOnlyDropped(plan.spec());
    return (window.lastSlot - window.firstSlot) * (window.lastRank - window.firstRank) +
           (findsUnused ? plan.totalSize() + plan.spec().datasetSize : dropped);
}

std::vector<std::uint32_t> neverSeenSamples(const std::function<ShardSpec(std::int64_t)>& specAt, std::int64_t epochs,
                                            const std::atomic<bool>* stop) {
    std::vector<std::uint32_t> missing;
    std::vector<bool> seen;
    std::int64_t left = -1;
    std::optional<ShardSpec> before;
    for (std::int64_t epoch = 0; epoch < epochs && left != 0 && !(stop && *stop); ++epoch) {
        const ShardSpec spec = specAt(epoch);
        const auto plan = before == spec ? Result<ShardPlan>(Problem{}) : ShardPlan::make(spec, stop);
        before = spec;
        if (!plan) continue;
        if (left < 0) {
            left = spec.datasetSize;
            seen.resize(static_cast<std::size_t>(left));
        }
        left -= markTrained(plan.value(), seen, stop);
    }
    for (std::size_t sample = 0; left > 0 && sample < seen.size(); ++sample) {
        if (!seen[sample]) missing.push_back(static_cast<std::uint32_t>(sample));
    }
    return missing;
}

}  // namespace ringside
