// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/errors/result.h"
#include "telemetry/events/events.h"
#include "watch/audit/sample_audit.h"

namespace ringside {

// Returns the audit of a run that Ringside has trained. `hashes` are the run's "consumed" events, in any order: SHA-256
// of the samples of each rank and epoch. If all hashes of an epoch equal those of its plan, the counts (distinct,
// twice, never) are taken from the plan; otherwise they are empty, and `why` names the lowest rank whose hash differs.
// Returns a problem if the experiment in `started` cannot be parsed.
Result<SampleAudit> auditByPlan(const RunStarted& started, const std::vector<Consumed>& hashes);

}  // namespace ringside
