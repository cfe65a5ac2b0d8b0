// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "base/json/json.h"
#include "run/read/bits_basis.h"

namespace ringside {

struct ShardKey {
    std::int64_t epoch = 0;
    std::int64_t rank = 0;
    auto operator<=>(const ShardKey&) const = default;  // NOLINT(modernize-use-nullptr): <=> compares with 0
};

// A SHA-256 as its bytes: millions of them are held.
using Digest = std::array<char, 32>;

// What a training left behind, by Ringside or by an exported script: enough to compare it with another. Its steps stay
// in the file (MetricsReader).
struct RunRecord {
    template <class Key>
    struct Hash {
        Key key{};
        Digest digest{};
    };
    std::filesystem::path metrics;
    std::int64_t firstStep = 0;               // that is recorded
    std::vector<Hash<ShardKey>> shards;       // of the samples a rank trained on, in order
    std::vector<Hash<std::int64_t>> weights;  // of rank 0's parameters, by steps done, in order
    std::optional<Json> config;
    std::optional<BitsBasis> bits;  // as summary.json has it
};

// Looks at metrics.jsonl, and reads what there is of config.json and telemetry.jsonl, in bounded memory however long
// the run was.
Result<RunRecord> readRunRecord(const std::filesystem::path& directory);

}  // namespace ringside
