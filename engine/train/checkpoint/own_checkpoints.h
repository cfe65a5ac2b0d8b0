// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

// Checkpoints that earlier attempts of a run have written into its run directory. Paths are relative to this directory.
struct OwnCheckpoints {
    // complete checkpoints, without timed ones, up to and including the one from which the run resumes; oldest first
    std::vector<std::string> kept;
    std::vector<std::string> timed;  // complete checkpoints that were written because of training.checkpoint_seconds
    // Incomplete checkpoints, and checkpoints of steps that are trained again. They are removed after a newer
    // checkpoint is written.
    std::vector<std::string> superseded;
};

// Returns the checkpoints in `runDirectory` that earlier attempts of the run have written. resumed: checkpoint after
// `step` steps from which the run resumes. Returns an empty result if `resumed` is in another directory. Links, and
// directories that writeCheckpoint() did not create, are left out, because the run must not remove them.
OwnCheckpoints findOwnCheckpoints(const std::filesystem::path& runDirectory, const std::filesystem::path& resumed,
                                  std::int64_t step);

}  // namespace ringside
