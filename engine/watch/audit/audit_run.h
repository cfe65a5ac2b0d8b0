// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/errors/result.h"
#include "run/read/run_directory.h"
#include "watch/audit/sample_audit.h"

namespace ringside {

// Returns the run directories of the chain that ends with this run, oldest first. A run continues another one if it was
// started with `ringsidectl watch --continues`; its launch.json or summary.json names that run. Returns a problem if a
// run of the chain is missing, or if the chain has no beginning.
Result<std::vector<std::filesystem::path>> chainOf(const std::filesystem::path& run);

// Counts the samples of a recorded run and of the runs that it continues. The samples of a run by Ringside itself are
// computed from its sampler if the hashes that the ranks reported confirm them, because not every index of such a run
// is recorded. Returns a problem if a record cannot be read or holds no run. Blocks on the disk; reads each record
// twice.
Result<SampleAudit> auditRun(const std::filesystem::path& run);
// Counts the samples of a run that has no summary.json yet, and of the chain of runs that ends with `continues`; empty:
// it continues no run.
Result<SampleAudit> auditRun(const std::filesystem::path& run, const std::filesystem::path& continues);

}  // namespace ringside
