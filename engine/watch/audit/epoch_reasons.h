// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "watch/audit/recorded_facts.h"

namespace ringside {

struct EpochAudit;

// Returns the rule of PyTorch or Accelerate that explains all repeated and all missing samples of a finished epoch, as
// a phrase: "DistributedSampler repeats 3 samples so that each of 4 ranks gets 360". Returns an empty text if no rule
// explains the numbers exactly, or if no sample is repeated or missing.
std::string reasonOf(const EpochAudit& epoch, const LoaderFacts& loader);

}  // namespace ringside
