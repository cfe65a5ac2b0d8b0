// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl plan`: which rank gets which sample, as PyTorch would deal them.
void addPlanCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
