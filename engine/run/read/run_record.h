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
#include "run/checkpoint/control_change.h"
#include "run/read/bits_basis.h"

namespace ringside {

// Key of a rank's shard: the samples that the rank trains in an epoch.
struct ShardKey {
    std::int64_t epoch = 0;
    std::int64_t rank = 0;
    auto operator<=>(const ShardKey&) const = default;  // NOLINT(modernize-use-nullptr): <=> compares with 0
};

// SHA-256 in binary form. It needs half the memory of the hexadecimal form, and a record can hold millions of hashes.
using Digest = std::array<char, 32>;

// Record of a training by Ringside or by an exported script, for comparison with another. The steps are not loaded:
// they are read from the file with MetricsReader.
struct RunRecord {
    template <class Key>
    struct Hash {
        Key key{};
        Digest digest{};
    };
    std::filesystem::path metrics;
    std::int64_t firstStep = 0;          // number of the first recorded step
    std::vector<Hash<ShardKey>> shards;  // hashes of trained samples, sorted by key
    bool isWatched = false;              // true if the run trained a watched script
    // Last step before the first restart of the ranks of a watched script by its launcher. Later steps are counted from
    // this number, even if the new processes continue from an earlier checkpoint. Empty for any other run.
    std::optional<std::int64_t> lastOwnStep;
    std::vector<Hash<std::int64_t>> weights;  // hashes of rank 0's parameters, sorted by the number of steps done
    std::vector<ControlChange> changes;       // changes of the learning rate and of the number of epochs by commands
    std::optional<Json> config;
    std::optional<BitsBasis> bits;  // conditions under which another run gets identical bits, read from summary.json
};

// Checks the first step of metrics.jsonl and reads telemetry.jsonl, config.json and summary.json if they exist. Memory
// grows only with the number of hashes. Returns a problem if metrics.jsonl cannot be read or holds no step.
Result<RunRecord> readRunRecord(const std::filesystem::path& directory);

}  // namespace ringside
