// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl completion`: prints a script that completes commands, options and --set fields in the shell.
void addCompletionCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
