// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl sweep`: measures how fast an experiment's samples load with different numbers of workers.
void addSweepCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
