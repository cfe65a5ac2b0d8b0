// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "run/read/run_directory.h"

namespace ringside {

// Value of --resume with which a run resumes in its own directory from the newest usable checkpoint. If there is no
// such checkpoint, the run deletes the old record in this directory and starts again: from the checkpoint of another
// run if its first start resumed from one, otherwise from the beginning.
inline constexpr const char* kResumeAuto = "auto";

// Returns the checkpoint that --resume auto resumes from, as an absolute path; empty to start from the beginning.
// dataRanks: number of data-parallel ranks. Returns a problem if `out` is empty.
Result<std::string> findResumeAuto(const std::filesystem::path& out, std::int64_t dataRanks);
// Creates or opens the directory of a run that is about to start, and locks it: `out`, which must be new or empty, or a
// directory with a default name if `out` is empty.
//
// autoResume: training.resume was set from findResumeAuto(). An existing `out` is then opened, and the steps after the
// checkpoint are removed from its record; without a checkpoint of its own, the record is deleted. runStartUs: start of
// the run's time; decreased by the run time of the record that is kept. Must be called after the experiment was
// checked. Throws IoError.
Result<RunDirectory> openRun(const RunConfig& config, const std::filesystem::path& out, bool autoResume,
                             std::int64_t& runStartUs);

}  // namespace ringside
