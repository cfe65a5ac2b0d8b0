// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl prove`: an experiment under every strategy, compared bit for bit.
void addProveCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
