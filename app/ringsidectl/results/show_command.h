// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl show`: prints the summary of a run.
void addShowCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
