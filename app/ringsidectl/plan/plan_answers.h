// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json/json.h"
#include "plan/plan_settings.h"

namespace ringside {

// Result of an analysis option of `ringsidectl plan`, as JSON and as text with the same content.
struct PlanAnswer {
    Json json;
    std::string text;
};

// Answers --find, whose query is "#4242", "rank:3 epoch:2", "dup", ... `epochs`: number of epochs that the query
// never-seen covers.
Result<PlanAnswer> queryFind(const PlanSource& source, std::int64_t epoch, std::int64_t epochs,
                             const std::string& query);

// Answers --never-seen: samples that no rank receives in epochs 0 .. epochs-1, and the number expected by chance.
Result<PlanAnswer> queryNeverSeen(const PlanSource& source, std::int64_t epochs);

// Answers --diff: number of samples that keep their rank, step or position under a second setting, and the numbers
// expected by chance.
Result<PlanAnswer> queryDiff(const PlanSource& source, std::int64_t epoch, const std::string& changes);

// Answers --balance: number of samples per label and rank, with the range that holds 95 % of random assignments.
Result<PlanAnswer> queryBalance(const PlanSource& source, std::int64_t epoch);

// Answers --damage, which shows the effect of a mistake in the sampler: how much of the data set the ranks cover, and
// how many samples several ranks share.
Result<PlanAnswer> queryMistakeEffects(const PlanSource& source, std::int64_t epoch);

}  // namespace ringside
