// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sampling/plan/shard_plan.h"
#include "terminal/text_out.h"

namespace ringside {

// The ranks to write: one, or all.
struct RankRange {
    int first = 0;
    int count = 0;
};

// The formats of `ringsidectl plan`: contracts that other tools read.
void writePlanJson(const ShardPlan& plan, RankRange ranks, TextOut& out);
void writePlanCsv(const ShardPlan& plan, RankRange ranks, TextOut& out);
void writePlanHashes(RankRange ranks, const std::vector<std::string>& hashes, TextOut& out);

// Of the ranks, on all processors; told is called with the share that is done.
std::vector<std::string> planHashes(const ShardPlan& plan, RankRange ranks,
                                    const std::function<void(double share)>& told);

// For people: the arithmetic, then ranks by steps, shortened in the middle when it is large.
void writePlanTable(const ShardPlan& plan, RankRange ranks, TextOut& out);

}  // namespace ringside
