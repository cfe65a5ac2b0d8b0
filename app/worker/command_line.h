// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "base/errors/result.h"

namespace ringside {

// Reads the command line into the options of `app`. Returns the first problem, with the given remedy: an unknown
// option, a second positional argument, or a missing or invalid value. Throws CLI::CallForHelp on --help.
std::optional<Problem> readCommandLine(CLI::App& app, int argc, const char* const* argv, const char* remedy);

}  // namespace ringside
