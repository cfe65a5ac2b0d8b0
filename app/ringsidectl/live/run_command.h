// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl run`: starts a run and displays it, or leaves it in the background.
void addRunCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
