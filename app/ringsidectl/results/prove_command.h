// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl prove`: trains an experiment under every strategy and compares the results bit by bit.
void addProveCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
