// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "watch/audit/recorded_facts.h"

namespace ringside {

struct EpochAudit;

// Returns a phrase for the rule of PyTorch or Accelerate that explains all repeated and all missing samples of a
// finished epoch, such as "DistributedSampler repeats 3 samples so that each of 4 ranks gets 360"; empty if no rule
// explains the numbers exactly, or if there is nothing to explain.
std::string reasonOf(const EpochAudit& epoch, const LoaderFacts& loader);

}  // namespace ringside
