// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan_answers.h"

namespace ringside {

// Answers --biography: the path of one sample through the epochs 0 .. epochs-1, with the other samples of its batches.
Result<PlanAnswer> querySampleHistory(const PlanSource& source, std::int64_t sample, std::int64_t epochs);

}  // namespace ringside
