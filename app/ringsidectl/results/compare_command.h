// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl compare`: how far two runs are apart, step by step.
void addCompareCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
