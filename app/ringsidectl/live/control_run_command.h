// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl control RUN_DIR pause|resume|...`: tells a live run, and waits until it has obeyed.
void addControlCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
