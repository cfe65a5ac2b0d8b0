// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/errors/result.h"

namespace ringside {

// Creates the directory `base`, or the first of base-2, base-3, ... that does not exist, and missing parent
// directories. Two calls, also of different processes, never return the same directory: mkdir(2) fails for an existing
// one, and the next number is tried.
Result<std::filesystem::path> makeNumberedDirectory(const std::filesystem::path& base);

}  // namespace ringside
