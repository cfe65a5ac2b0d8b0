// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl watch`: starts a command and records what its PyTorch processes train.
void addWatchCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
