// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/sample_history.h"

#include <algorithm>
#include <utility>

namespace ringside {
namespace {

std::vector<std::uint32_t> matesOf(const ShardPlan& plan, const SampleSlot& place, std::int64_t most) {
    std::vector<std::uint32_t> mates;
    if (place.step < 0) return mates;
    const SlotRange batch = plan.batch(place.rank, place.step);
    for (std::int64_t slot = batch.first; slot < batch.first + batch.count; ++slot) {
        if (static_cast<std::int64_t>(mates.size()) >= most) break;
        if (slot != place.slot) mates.push_back(static_cast<std::uint32_t>(plan.index(place.rank, slot)));
    }
    return mates;
}

}  // namespace

SampleHistoryEntry sampleHistoryEntry(const ShardPlan& plan, std::int64_t epoch, std::int64_t sample,
                                      std::int64_t maxMates) {
    SampleHistoryEntry entry{epoch, {}, plan.stepsPerEpoch()};
    for (const SampleSlot& place : plan.usesByScan(sample)) {
        entry.uses.push_back({place, matesOf(plan, place, maxMates)});
    }
    return entry;
}

std::optional<Problem> appendEpochs(const SampleHistorySource& source, std::int64_t sample, std::int64_t first,
                                    std::int64_t last, std::int64_t maxMates, std::vector<SampleHistoryEntry>& entries,
                                    const std::atomic<bool>* stop) {
    std::optional<ShardPlan> plan;
    for (std::int64_t epoch = first; epoch < last && !(stop && *stop); ++epoch) {
        const ShardSpec spec = source.specAt(epoch);
        if (!plan || !(plan->spec() == spec)) {
            Result<ShardPlan> made = source.planOf(spec);
            if (!made) return made.problem();
            plan = std::move(made.value());
        }
        entries.push_back(sampleHistoryEntry(*plan, epoch, sample, maxMates));
    }
    return {};
}

}  // namespace ringside
