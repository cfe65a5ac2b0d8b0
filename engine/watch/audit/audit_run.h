// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/errors/result.h"
#include "run/read/run_directory.h"
#include "watch/audit/sample_audit.h"

namespace ringside {

// Returns the directories of the runs that this run continues, oldest first, followed by its own directory (a chain of
// runs). A run that was started with `ringsidectl watch --continues` names the previous run in its launch.json or
// summary.json. Returns a problem if a run of the chain is missing, or if the chain has no beginning.
Result<std::vector<std::filesystem::path>> chainOf(const std::filesystem::path& run);

// Counts the samples of a recorded run and of the runs that it continues. For a run that Ringside has trained, not
// every sample index is recorded; its samples are computed from its sampler if the hashes that the ranks reported
// confirm them. Returns a problem if a record cannot be read or contains no run. Blocks on the disk; reads each record
// twice.
Result<SampleAudit> auditRun(const std::filesystem::path& run);
// Counts the samples of a run that has no summary.json yet, and of the runs before it. continues: directory of the
// previous run; empty if there is none.
Result<SampleAudit> auditRun(const std::filesystem::path& run, const std::filesystem::path& continues);

}  // namespace ringside
