// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"

namespace ringside {

// Returns the directory of this program's executable, with symbolic links resolved. Throws IoError if /proc is not
// mounted.
std::filesystem::path programDirectory();

// Returns the directory of the files that programs read at run time: examples, export, icons, lessons, python. The
// directory is ../share/ringside relative to the program, both in an installed prefix (which can be moved) and in the
// build tree. Fails if the directory does not exist.
Result<std::filesystem::path> resourceDirectory();

// Returns the path of a file or folder below the resource directory. Fails if it does not exist.
Result<std::filesystem::path> resourcePath(const std::string& name);

}  // namespace ringside
