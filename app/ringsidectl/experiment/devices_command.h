// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl devices`: what ranks can compute on here, and why a GPU is not used.
void addDevicesCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
