// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "run/read/run_directory.h"

namespace ringside {

// With --resume auto a run resumes in its own directory, from the newest usable checkpoint. Without a checkpoint, the
// old record is deleted, and the run starts from the beginning in the same directory.
inline constexpr const char* kResumeAuto = "auto";

// Returns the checkpoint that --resume auto resumes from, as an absolute path; empty if there is none. dataRanks:
// number of data-parallel ranks. Returns a problem if `out` is empty.
Result<std::string> findResumeAuto(const std::filesystem::path& out, std::int64_t dataRanks);
// Opens the locked directory of a run that is about to start: `out`, which must be new or empty, or a directory with a
// default name if `out` is empty. autoResume: training.resume is the result of findResumeAuto(); `out` is then opened
// again if it exists, and its record is cut after the checkpoint, or deleted if there is none. epochUs: start of the
// run's time; it is decreased by the time that the kept record covers. Call after the experiment was checked. Throws
// IoError.
Result<RunDirectory> openRun(const RunConfig& config, const std::filesystem::path& out, bool autoResume,
                             std::int64_t& epochUs);

}  // namespace ringside
