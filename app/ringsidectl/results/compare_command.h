// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl compare`: shows the differences between two runs step by step.
void addCompareCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
