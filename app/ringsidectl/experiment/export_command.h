// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl export`: converts an experiment to a script for other software.
void addExportCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
