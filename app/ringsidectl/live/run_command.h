// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl run`: starts a run and shows it, or leaves it running by itself.
void addRunCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
