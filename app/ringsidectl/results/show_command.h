// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl show`: what a run came to.
void addShowCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
