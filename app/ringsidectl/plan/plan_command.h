// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl plan`: shows which rank receives which sample, as PyTorch assigns them.
void addPlanCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
