// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "launch/classroom/classroom_lines.h"

namespace ringside {

// Data that the host of a classroom offers to its guests: the experiment, with names in place of this computer's paths,
// and the experiment's files.
struct ClassroomData {
    ClassroomOffer offer;
    std::vector<std::filesystem::path> sources;  // paths of offer.files on this computer
    RunConfig offered;                           // experiment in which the paths are replaced by the names of the offer
};

// Returns the SHA-256 of an experiment, in hex, so that ranks can compare their experiments. The hash does not depend
// on training.resume.
std::string experimentHash(RunConfig offered);

// Returns a copy of the experiment as a classroom trains it: worldSize ranks on the CPU, with Gloo or an automatic
// backend, and without a configured network interface.
RunConfig classConfig(RunConfig config, std::int64_t worldSize);

// Collects the files of an experiment and reads each for its hash, which can take long. config: the experiment with
// paths of this computer. checkpoint: directory from which the ranks resume; empty if they start from the beginning.
// Returns a problem if files are missing, too many or larger than maxBytes together.
Result<ClassroomData> gatherClassroomData(const RunConfig& config, const std::filesystem::path& checkpoint,
                                          std::int64_t maxBytes);

}  // namespace ringside
