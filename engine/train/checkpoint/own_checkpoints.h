// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

// Checkpoints that earlier attempts of a run left in its directory, as paths relative to this directory.
struct OwnCheckpoints {
    std::vector<std::string> kept;   // paths of complete checkpoints up to the one that is resumed, oldest first
    std::vector<std::string> timed;  // paths of complete checkpoints written because of training.checkpoint_seconds
    // paths of incomplete checkpoints and of checkpoints of steps that are trained again; to be removed after a newer
    // checkpoint
    std::vector<std::string> superseded;
};

// Returns the checkpoints in `runDirectory` that earlier attempts of the run wrote. resumed: checkpoint after `step`
// steps from which the run resumes; if it is in another directory, the result is empty. Links and directories that
// writeCheckpoint() did not make are not returned, because the run must not remove them.
OwnCheckpoints findOwnCheckpoints(const std::filesystem::path& runDirectory, const std::filesystem::path& resumed,
                                  std::int64_t step);

}  // namespace ringside
