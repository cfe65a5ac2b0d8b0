// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "watch/audit/epoch_chain.h"
#include "watch/audit/recorded_facts.h"

namespace ringside {

struct SampleAudit;

// Adds an entry to `result` for each epoch whose samples have no indices, for example those of an IterableDataset. The
// entry contains the number of samples if the ranks have reported it.
void addUncountedEpochs(SampleAudit& result, const std::vector<ChainedAttempt>& chain);

// Adds notes to `result`: one for each question that could not be answered, and one for each assumption on which the
// numbers depend.
void addAuditNotes(SampleAudit& result, const std::vector<RecordedFacts>& facts,
                   const std::vector<ChainedAttempt>& chain);

}  // namespace ringside
