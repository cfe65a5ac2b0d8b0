// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ringside {

// What a training left behind, by Ringside or by an exported script: enough to compare it with another. Losses that
// are no finite numbers are NaN.
struct StepMetrics {
    std::int64_t step = 0;
    std::int64_t samples = 0;
    double loss = 0;
};

struct EpochMetrics {
    std::int64_t epoch = 0;
    std::string split;  // train | val
    double loss = 0;
    double accuracy = 0;  // NaN for regression
};

struct ShardKey {
    std::int64_t epoch = 0;
    std::int64_t rank = 0;
    auto operator<=>(const ShardKey&) const = default;  // NOLINT(modernize-use-nullptr): <=> compares with 0
};

struct RunRecord {
    std::vector<StepMetrics> steps;  // in increasing order
    std::vector<EpochMetrics> epochs;
    std::map<ShardKey, std::string> shards;       // hash of the samples a rank trained on
    std::map<std::int64_t, std::string> weights;  // hash of rank 0's parameters, by steps done
    std::optional<Json> config;
};

// Reads metrics.jsonl, and what there is of config.json and telemetry.jsonl. A torn last line is left out.
Result<RunRecord> readRunRecord(const std::filesystem::path& directory);

}  // namespace ringside
