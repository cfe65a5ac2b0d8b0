// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/errors/result.h"
#include "base/system/unique_fd.h"

namespace ringside {

// Opens a regular file for reading, without blocking. Returns a problem for a pipe, a device or a directory.
Result<UniqueFd> openFile(const std::filesystem::path& path);

// Restricts openFile() and readFile() to regular files below `folder`, which becomes the working directory. Only
// relative names can be opened afterwards, with openBeneath(). Applies to the whole process until it ends; call it
// before other threads start.
Result<bool> confineFilesTo(const std::filesystem::path& folder);

// Reads a kernel file ("/proc/...", "/sys/..."), also after confineFilesTo(). `path` must be a constant of the program
// and never come from a configuration.
Result<std::string> readKernelFile(const char* path, std::size_t maxBytes);

// Returns the content of a file. Returns a problem if the file is missing, not regular, unreadable or larger than
// maxBytes.
Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes);

// Replaces path atomically: writes a temporary file in the same directory, calls fsync, renames it and calls fsync on
// the directory. Throws IoError, also if path is a directory, a device or a pipe.
void writeFileAtomically(const std::filesystem::path& path, std::string_view content);

// Returns the text of an errno value, such as "No space left on device". For EMFILE it includes the limit of open
// files.
std::string errnoText(int error);

}  // namespace ringside
