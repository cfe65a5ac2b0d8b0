// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl config`: the built-in experiment, the schema, and checking a file before it is run.
void addConfigCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
