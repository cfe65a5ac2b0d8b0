// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// What to look for in a plan: every term given must hold. "#4242", "class:7", "rank:3 epoch:2", "step:5 dup",
// "dropped", "never-seen".
struct PlanQuery {
    enum class State {
        Any,
        Duplicate,  // padding: a further use of a sample
        Dropped,    // by the sampler or by the loader
        NeverSeen   // trained by no rank in any epoch; for neverSeenSamples()
    };
    std::optional<std::int64_t> sample;
    std::optional<std::string> className;  // a class's name or number; the data set knows which
    std::optional<std::int64_t> label;     // what className means, filled in by the caller
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> epoch;  // the plan to look in: the caller's to choose
    std::optional<std::int64_t> step;   // counts from 1, as on screen
    State state = State::Any;
    bool operator==(const PlanQuery&) const = default;
};

// Problems: an unknown word, a number that is none, a term given twice, no term at all.
Result<PlanQuery> parsePlanQuery(std::string_view text);

// One place of one sample. Sizes are bounded by kMaxDatasetSize, so that a million hits stay small.
struct PlanHit {
    std::uint32_t sample = 0;
    std::int32_t rank = -1;  // -1: no rank gets the sample
    std::int32_t slot = -1;
    bool operator==(const PlanHit&) const = default;
};

// All hits in the order in which they are trained (slot, then rank), then those that no rank gets. labels: the class of
// every sample, empty where there are none. O(n) at most; O(1) for a sample. Problems: a rank, step or sample that the
// plan does not have, or a class without labels.
Result<std::vector<PlanHit>> findInPlan(const ShardPlan& plan, const PlanQuery& query,
                                        std::span<const std::uint16_t> labels = {},
                                        const std::atomic<bool>* stop = nullptr);

// How many cells findInPlan looks at: tells small searches from large ones.
std::int64_t searchSize(const ShardPlan& plan, const PlanQuery& query);

// The samples that no rank trains in any of the epochs 0 .. epochs-1, in ascending order. specAt gives an epoch's spec;
// equal specs are dealt once.
std::vector<std::uint32_t> neverSeenSamples(const std::function<ShardSpec(std::int64_t epoch)>& specAt,
                                            std::int64_t epochs, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
