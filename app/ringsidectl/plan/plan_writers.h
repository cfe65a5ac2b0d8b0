// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sampling/plan/shard_plan.h"
#include "terminal/text_out.h"

namespace ringside {

// Ranks whose plan is written: one rank, or all ranks.
struct RankRange {
    int first = 0;
    int count = 0;
};

// Writes a plan in one of the formats of `ringsidectl plan`. Other tools read these formats, so they must not change.
void writePlanJson(const ShardPlan& plan, RankRange ranks, TextOut& out);
void writePlanCsv(const ShardPlan& plan, RankRange ranks, TextOut& out);
void writePlanHashes(RankRange ranks, const std::vector<std::string>& hashes, TextOut& out);

// Returns the SHA-256 of the samples of each rank, computed on all processors. Calls onProgress with the completed
// share, 0 to 1.
std::vector<std::string> planHashes(const ShardPlan& plan, RankRange ranks,
                                    const std::function<void(double share)>& onProgress);

// Writes a plan as text for a terminal: the sizes, then a table of the samples of each rank. The middle of a large
// table is left out.
void writePlanTable(const ShardPlan& plan, RankRange ranks, TextOut& out);

}  // namespace ringside
