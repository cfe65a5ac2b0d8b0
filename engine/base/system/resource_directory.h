// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"

namespace ringside {

// Directory that holds this program's executable file, without symbolic links. Throws IoError if /proc is not mounted.
std::filesystem::path programDirectory();

// Directory of the files that programs read while they run: examples, export, icons, lessons, python. The directory is
// ../share/ringside, seen from the program, in an installed prefix (which can be moved) and in the build tree. Fails if
// the directory does not exist.
Result<std::filesystem::path> resourceDirectory();

// Path of the file or folder `name` below the resource directory. Fails if it does not exist.
Result<std::filesystem::path> resourcePath(const std::string& name);

}  // namespace ringside
