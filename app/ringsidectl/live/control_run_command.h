// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl control RUN_DIR pause|resume|...`: sends a command to a live run and waits until the run has
// executed it.
void addControlCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
