// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "watch/audit/epoch_chain.h"
#include "watch/audit/recorded_facts.h"

namespace ringside {

struct SampleAudit;

// Adds to `result` an entry for each epoch whose samples have no indices, for example because they come from an
// IterableDataset. The entry contains the number of samples if the ranks have reported it.
void addUncountedEpochs(SampleAudit& result, const std::vector<ChainedAttempt>& chain);

// Adds notes about everything that could not be judged, and about the assumptions on which the numbers rest.
void addAuditNotes(SampleAudit& result, const std::vector<RecordedFacts>& facts,
                   const std::vector<ChainedAttempt>& chain);

}  // namespace ringside
