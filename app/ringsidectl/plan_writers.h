// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sampling/shard_plan.h"
#include "text_out.h"

namespace ringside {

// The ranks to write: one, or all.
struct RankRange {
    int first = 0;
    int count = 0;
};

// The formats of `ringsidectl plan`: contracts that other tools read.
void writePlanJson(const ShardPlan& plan, RankRange ranks, TextOut& out);
void writePlanCsv(const ShardPlan& plan, RankRange ranks, TextOut& out);
void writePlanHashes(const ShardPlan& plan, RankRange ranks, TextOut& out);

// For people: the arithmetic, then ranks by steps, shortened in the middle when it is large.
void writePlanTable(const ShardPlan& plan, RankRange ranks, TextOut& out);

}  // namespace ringside
