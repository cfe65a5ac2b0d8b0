// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/errors/result.h"
#include "run/read/run_directory.h"

namespace ringside {

// Locked run directory of a run that is about to start.
//
// With --resume auto a run resumes in its own directory, from the newest usable checkpoint. Without a checkpoint it
// starts from the beginning there, and the old record is deleted first.
struct RunPlace {
    RunDirectory directory;
    std::string resume;           // checkpoint directory; empty: start from the beginning
    std::int64_t recordedUs = 0;  // run time that the kept record covers, in microseconds
};

inline constexpr const char* kResumeAuto = "auto";

// Returns the checkpoint that --resume auto resumes from, as an absolute path; empty if there is none. dataRanks:
// number of data-parallel ranks, which the samples are assigned to. A problem if `out` is empty.
Result<std::string> findResumeAuto(const std::filesystem::path& out, std::int64_t dataRanks);
// Creates a run directory with a default name (makeDefaultRunDirectory()).
Result<RunPlace> takeDefaultRunPlace(const std::string& name);
// Creates or reopens the run directory `out`; call after the experiment was checked. autoResume: result of
// findResumeAuto(); without it the directory must be new or empty. A reopened record is cut after the checkpoint, or
// deleted if there is none. Throws IoError.
Result<RunPlace> takeRunPlace(const std::filesystem::path& out, const std::optional<std::string>& autoResume);

}  // namespace ringside
