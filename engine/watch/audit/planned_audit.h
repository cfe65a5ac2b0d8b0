// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/errors/result.h"
#include "telemetry/events/events.h"
#include "watch/audit/sample_audit.h"

namespace ringside {

// Returns the audit of a run by Ringside itself, from the hashes of the samples that each rank trained in each epoch:
// where the hash of each rank is that of the plan, the numbers are those of the plan. hashes: "consumed" events, in any
// order. A problem if the run's experiment is damaged.
Result<SampleAudit> auditByPlan(const RunStarted& started, const std::vector<Consumed>& hashes);

}  // namespace ringside
