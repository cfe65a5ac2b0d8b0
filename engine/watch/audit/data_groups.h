// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "watch/audit/recorded_facts.h"

namespace ringside {

// Data-parallel groups of a script: ranks that train one model on different samples. Ranks of different groups, such as
// the stages of a pipeline, read the same samples on purpose.
struct DataGroups {
    std::vector<std::vector<int>> groups;  // ranks of each group in ascending order; each rank is in exactly one group
    bool isAssumed = false;                // true if no wrapper was reported, so that all ranks are assumed to form one
                                           // group
};

DataGroups dataGroups(const AttemptFacts& attempt);

}  // namespace ringside
