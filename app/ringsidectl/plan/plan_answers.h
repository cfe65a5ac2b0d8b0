// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json/json.h"
#include "plan/plan_settings.h"

namespace ringside {

// What `ringsidectl plan` answers instead of listing the plan: a JSON object with its text for people.
struct PlanAnswer {
    Json json;
    std::string text;
};

// --find "#4242", "rank:3 epoch:2", "dup", ...; epochs: how far never-seen looks.
Result<PlanAnswer> answerFind(const PlanSource& source, std::int64_t epoch, std::int64_t epochs,
                              const std::string& query);

// --never-seen: in epochs 0 .. epochs-1, beside what chance gives.
Result<PlanAnswer> answerNeverSeen(const PlanSource& source, std::int64_t epochs);

// --diff: what two settings have in common.
Result<PlanAnswer> answerDiff(const PlanSource& source, std::int64_t epoch, const std::string& changes);

// --balance: class by rank, with the band that holds 95 % of fair deals.
Result<PlanAnswer> answerBalance(const PlanSource& source, std::int64_t epoch);

// --damage: coverage and overlap between ranks.
Result<PlanAnswer> answerDamage(const PlanSource& source, std::int64_t epoch);

}  // namespace ringside
