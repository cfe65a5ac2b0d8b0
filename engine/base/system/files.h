// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/errors/result.h"
#include "base/system/unique_fd.h"

namespace ringside {

// Opened for reading, and never waited for: a pipe, a device or a directory is a problem.
Result<UniqueFd> openFile(const std::filesystem::path& path);

// Restricts openFile() and readFile() to regular files below `folder`, which becomes the working directory. Holds for
// the rest of the process, as a resource limit does; call it before other threads start. From then on only relative
// names are opened, and openBeneath() opens them.
Result<bool> confineFilesTo(const std::filesystem::path& folder);

// Reads a file of the kernel ("/proc/...", "/sys/..."), also in a process that confineFilesTo() restricts. `path` must
// be a constant of the program and never come from a configuration.
Result<std::string> readKernelFile(const char* path, std::size_t maxBytes);

// The whole file; a problem when it is missing, no regular file, unreadable or larger than maxBytes.
Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes);

// Replaces path atomically: temporary file beside it, fsync, rename, fsync of the directory. Throws IoError,
// also where path is a directory, a device or a pipe.
void writeFileAtomically(const std::filesystem::path& path, std::string_view content);

// "No space left on device" for an errno value; EMFILE includes the limit of open files.
std::string errnoText(int error);

}  // namespace ringside
