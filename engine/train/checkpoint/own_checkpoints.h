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
    std::vector<std::string> overtaken;
};

// Returns the checkpoints in `runDirectory`; none if `resumed`, a checkpoint after `step` steps, is in another
// directory. Links and directories that writeCheckpoint() did not make are left out, because the run must not remove
// them.
OwnCheckpoints findOwnCheckpoints(const std::filesystem::path& runDirectory, const std::filesystem::path& resumed,
                                  std::int64_t step);

}  // namespace ringside
