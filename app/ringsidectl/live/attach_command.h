// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl attach`: follows a live run or replays a finished one.
void addAttachCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
