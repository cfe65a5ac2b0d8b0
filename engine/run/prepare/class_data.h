// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "launch/classroom/class_lines.h"

namespace ringside {

// What travels to those who join a class: the experiment with names instead of this computer's paths, and its files.
struct ClassData {
    ClassOffer offer;
    std::vector<std::filesystem::path> sources;  // of offer.files
    RunConfig told;                              // the experiment as all ranks have it
};

// Of a rank's experiment as it is told: where it goes on from, and from which file it was read, is no part of it.
std::string experimentHash(RunConfig told);

// Everybody computes on the CPU and talks over TCP; where the run is recorded, and what it goes on from, is the host's.
RunConfig classConfig(RunConfig config, std::int64_t worldSize);

// config: with paths that hold here. checkpoint: what the ranks go on from; empty: the start. Problems: files that are
// missing, too many or more than mostBytes. Reads all of them, for their hashes.
Result<ClassData> gatherClassData(const RunConfig& config, const std::filesystem::path& checkpoint,
                                  std::int64_t mostBytes);

}  // namespace ringside
