// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "run/read/run_record.h"

namespace ringside {

// Two values of the same thing. The relative difference is |a - b| / max(|a|, |b|): 0 for equal values and for two
// NaNs, infinite for a number and a NaN.
struct ValuePair {
    std::int64_t at = 0;  // step or epoch
    double a = 0;
    double b = 0;
    std::int64_t from = 0;  // the first of several steps that were recorded together; else 0
    double relative() const;
};

struct ConfigDifference {
    std::string path;  // "parallel.world_size"
    std::string a;     // JSON; empty where it is missing
    std::string b;
};

enum class ShardsVerdict { kUnknown, kSame, kDifferent };

struct RunComparison {
    double tolerance = 0;
    std::int64_t steps = 0;  // found in both
    std::int64_t stepsOnlyA = 0;
    std::int64_t stepsOnlyB = 0;
    std::int64_t thinned = 0;    // of the steps found in both, compared by mean, minimum and maximum of several
    std::int64_t firstStep = 1;  // above 1: one run goes on from a checkpoint, and the steps before are left out
    std::optional<ValuePair> firstApart;    // first step whose losses are not the same number
    std::optional<ValuePair> firstBeyond;   // first step beyond the tolerance
    ValuePair largest;                      // step with the largest relative difference
    std::optional<ValuePair> sampleCounts;  // first step with different numbers of samples
    std::int64_t epochs = 0;                // results found in both
    double trainLossDifference = 0;         // largest relative one of any epoch
    double validationLossDifference = 0;
    double accuracyDifference = 0;  // largest absolute one, of validation
    ShardsVerdict shards = ShardsVerdict::kUnknown;
    std::int64_t shardsCompared = 0;
    std::optional<ShardKey> firstOtherShard;
    std::optional<bool> initialWeights;          // whether both started from the same bits; empty: not known
    std::optional<std::int64_t> otherWeightsAt;  // steps done where rank 0's parameters first have other bits
    std::optional<BitsBasis> bitsOfA, bitsOfB;   // what the last bits of each depend on; empty: not known
    bool configsKnown = false;
    std::vector<ConfigDifference> configDifferences;

    // The same steps, and every loss within the tolerance.
    bool equal() const;
    Json toJson() const;
    std::string text() const;  // for people, one finding a line
};

// Reads the steps of both side by side, however many they are. A problem where a file is damaged.
Result<RunComparison> compareRuns(const RunRecord& a, const RunRecord& b, double tolerance);

}  // namespace ringside
