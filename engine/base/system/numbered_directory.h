// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/errors/result.h"

namespace ringside {

// Makes `base`, or the first of base-2, base-3, ... that does not exist, and missing parents. No two calls, of any
// processes, get the same directory: mkdir(2) fails where another was quicker, and the next number is tried.
Result<std::filesystem::path> makeNumberedDirectory(const std::filesystem::path& base);

}  // namespace ringside
