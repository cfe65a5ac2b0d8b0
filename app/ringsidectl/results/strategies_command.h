// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl strategies`: what every strategy would cost an experiment, predicted and measured.
void addStrategiesCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
