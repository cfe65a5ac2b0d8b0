// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl config`: prints the default experiment or the schema, and validates an experiment file.
void addConfigCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
