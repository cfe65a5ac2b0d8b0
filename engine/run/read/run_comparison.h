// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "run/read/run_record.h"

namespace ringside {

// Values of a step or an epoch in the two compared runs.
struct ValuePair {
    std::int64_t at = 0;  // number of the step or epoch of the two values
    double a = 0;
    double b = 0;
    // First step of the window of several steps that was compared; 0: a single step was compared.
    std::int64_t from = 0;
    // Returns |a - b| / max(|a|, |b|): 0 for equal values and for two NaNs, infinite for a number and a NaN.
    double relative() const;
};

// Setting that differs between two runs.
struct ConfigDifference {
    std::string path;  // path of the setting, such as "parallel.world_size"
    std::string a;     // value in the first run, as JSON; empty if the setting is missing
    std::string b;
};

enum class ShardsVerdict { kUnknown, kSame, kDifferent };

// Differences between two runs, a and b.
struct RunComparison {
    double tolerance = 0;    // largest relative difference of losses that counts as equal
    std::int64_t steps = 0;  // number of steps found in both runs
    std::int64_t stepsOnlyA = 0;
    std::int64_t stepsOnlyB = 0;
    std::int64_t thinned = 0;    // number of steps in both runs whose losses were compared only as mean, minimum and
                                 // maximum of a window
    std::int64_t notFinite = 0;  // number of steps whose loss is not finite in both runs
    std::int64_t firstStep = 1;  // first step compared; above 1 if a run resumed from a checkpoint
    std::optional<std::int64_t> lastStep;   // last compared step, set if a run of a watched script restarted its ranks
                                            // after this step; empty: all steps are compared
    std::optional<ValuePair> firstApart;    // first step whose losses in the two runs are not identical
    std::optional<ValuePair> firstBeyond;   // first step whose losses in the two runs differ by more than the tolerance
    ValuePair largest;                      // step whose losses have the largest relative difference
    std::optional<ValuePair> sampleCounts;  // first step at which the two runs trained different numbers of samples
    std::int64_t epochs = 0;                // number of epoch results found in both runs
    double trainLossDifference = 0;         // largest relative difference of the training loss over all epochs
    double validationLossDifference = 0;    // largest relative difference of the validation loss over all epochs
    double accuracyDifference = 0;          // largest absolute difference of validation accuracy
    ShardsVerdict shards = ShardsVerdict::kUnknown;
    std::int64_t shardsCompared = 0;
    std::optional<ShardKey> firstOtherShard;
    std::optional<bool> initialWeights;          // true if both runs started from identical weights; empty: not known
    std::optional<std::int64_t> otherWeightsAt;  // number of steps done before the first recorded difference between
                                                 // the two runs' parameters on rank 0; empty: none
    // Conditions that determine the last bits of the results of runs a and b; empty: not known.
    std::optional<BitsBasis> bitsOfA, bitsOfB;
    // Changes by commands while runs a and b trained, in the order of steps.
    std::vector<ControlChange> changesOfA, changesOfB;
    bool configsKnown = false;
    std::vector<ConfigDifference> configDifferences;

    // True if both runs have recorded the same steps, at least one, and each pair of losses is within the tolerance.
    // False if steps after a restart were not compared.
    bool equal() const;
    Json toJson() const;
    // Returns the differences as text for users, one finding in each line.
    std::string text() const;
};

// Compares two runs in bounded memory, reading their steps side by side. Returns a problem if a file is missing or
// damaged.
Result<RunComparison> compareRuns(const RunRecord& a, const RunRecord& b, double tolerance);

}  // namespace ringside
