// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watch/audit/sample_audit.h"
#include "watch/findings/judgement.h"

namespace ringside {

// Judges the epochs that two runs of a chain have trained: a run that resumes in the middle of an epoch must leave out
// the samples that were trained before. Such an epoch is compared with epochs of the same loader that a single run has
// trained completely, because samplers repeat some samples to fill shards.
Judgement judgeResume(const SampleAudit& audit);

}  // namespace ringside
