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

// Query of a plan. A hit must satisfy all given terms. Examples: "#4242", "class:7", "rank:3 epoch:2", "step:5 dup",
// "dropped", "never-seen".
struct PlanQuery {
    enum class State {
        Any,
        Duplicate,  // repeated uses of a sample (padding)
        Dropped,    // samples that the loader drops, and samples that no rank gets
        NeverSeen   // samples that no rank trains in any epoch; see neverSeenSamples()
    };
    std::optional<std::int64_t> sample;
    std::optional<std::string> className;  // name or number of a class, which the caller resolves
    std::optional<std::int64_t> label;     // class number of className, set by the caller
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> epoch;  // epoch whose plan the caller passes to findInPlan()
    std::optional<std::int64_t> step;   // number of the step, counted from 1 as on screen
    State state = State::Any;
    bool operator==(const PlanQuery&) const = default;
};

// Parses a query. Problems: an unknown word, an invalid number, a repeated term, an empty query.
Result<PlanQuery> parsePlanQuery(std::string_view text);

// Use of a sample in a plan. Fields are 32 bits wide, which kMaxDatasetSize permits, so that a million hits take 12 MB.
struct PlanHit {
    std::uint32_t sample = 0;
    std::int32_t rank = -1;  // rank that gets the sample; -1: no rank
    std::int32_t slot = -1;
    bool operator==(const PlanHit&) const = default;
};

// Returns all hits in training order (slot, then rank), then the samples that no rank gets. labels: class of every
// sample, empty if there are no classes. Takes O(n) at most, and O(1) for a sample. Problems: a rank, step or sample
// outside the plan, or a class without labels.
Result<std::vector<PlanHit>> findInPlan(const ShardPlan& plan, const PlanQuery& query,
                                        std::span<const std::uint16_t> labels = {},
                                        const std::atomic<bool>* stop = nullptr);

// Returns the number of slots or samples that findInPlan() examines. Used to decide whether to search at once or in the
// background.
std::int64_t searchSize(const ShardPlan& plan, const PlanQuery& query);

// Returns the samples that no rank trains in any of the epochs 0 .. epochs-1, in ascending order. specAt returns the
// spec of an epoch; an epoch whose spec equals that of the previous epoch is skipped, because its plan is the same.
std::vector<std::uint32_t> neverSeenSamples(const std::function<ShardSpec(std::int64_t epoch)>& specAt,
                                            std::int64_t epochs, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
