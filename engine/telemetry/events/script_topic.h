// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text/named_choice.h"
#include "telemetry/events/events.h"

namespace ringside {

// Topics of ScriptFacts that Ringside evaluates. docs/watch-protocol.md describes all topics.
enum class ScriptTopic : std::uint8_t {
    kProcess,
    kProcessGroup,
    kProcessGroupCreated,
    kLoader,
    kPass,
    kPassEnd,
    kBatch,
    kContent,
    kSubset,
    kStalled,
    kException,
    kSees,
    kEnd,
    kHookFailed,
    kTensors,
    kDataParallel,
    kPipeline,
    kGroup,
    kShardGroup,
    kStepCounts,
    kOptimizer,
    kBuckets,
    kLoss,
};
constexpr std::array<std::string_view, 23> namesOf(ScriptTopic) {
    return {"process",       "process_group", "process_group_created",
            "loader",        "pass",          "pass_end",
            "batch",         "content",       "subset",
            "stalled",       "exception",     "sees",
            "end",           "hook_failed",   "tensors",
            "data_parallel", "pipeline",      "group",
            "shard_group",   "step_counts",   "optimizer",
            "buckets",       "loss"};
}

// Returns the topic of the facts; empty if Ringside does not evaluate the topic.
constexpr std::optional<ScriptTopic> topicOf(const ScriptFacts& facts) {
    return choiceNamed<ScriptTopic>(facts.about);
}

}  // namespace ringside
