// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

// What earlier attempts of a run have left in its own directory when it goes on there; paths relative to it.
struct OwnCheckpoints {
    std::vector<std::string> kept;   // complete, up to the one that is gone on from, oldest first
    std::vector<std::string> timed;  // such that training.checkpoint_seconds wrote
    // Half written, or of steps that are done again: to be removed once there is a newer one.
    std::vector<std::string> overtaken;
};

// Empty where `resumed`, a checkpoint of `step` steps, lies elsewhere: then nothing here is an earlier attempt's. What
// is not named and made as writeCheckpoint() does is nobody's to remove and left out; so are links.
OwnCheckpoints findOwnCheckpoints(const std::filesystem::path& runDirectory, const std::filesystem::path& resumed,
                                  std::int64_t step);

}  // namespace ringside
