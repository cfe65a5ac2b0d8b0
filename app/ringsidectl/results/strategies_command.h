// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl strategies`: predicts, and optionally measures, the cost of an experiment under every strategy.
void addStrategiesCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
