// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/errors/result.h"
#include "run/read/run_directory.h"

namespace ringside {

// Where --resume auto goes on: in the run directory itself, from its newest complete checkpoint, if it has one; else
// the run starts anew there. A run directory without a checkpoint is emptied first: nothing of it can be gone on with.
struct RunPlace {
    RunDirectory directory;
    std::string resume;           // checkpoint, or empty
    std::int64_t recordedUs = 0;  // run time that the record already covers
};

inline constexpr const char* kResumeAuto = "auto";

// dataRanks: between how many ranks the samples will be dealt.
Result<std::string> findResumeAuto(const std::filesystem::path& out, std::int64_t dataRanks);
// In a new directory with a default name.
Result<RunPlace> takeDefaultRunPlace(const std::string& name);
// After the experiment was checked: what follows the checkpoint is taken out of the record. Throws IoError.
// Without a checkpoint, even an empty one, the directory must be new.
Result<RunPlace> takeRunPlace(const std::filesystem::path& out, const std::optional<std::string>& autoResume);

}  // namespace ringside
