// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl host`: hosts a classroom, whose members' computers train as ranks.
void addHostCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
