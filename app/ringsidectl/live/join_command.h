// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl join`: makes this computer a rank of another computer's run.
void addJoinCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
