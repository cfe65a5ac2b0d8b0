// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl devices`: lists the devices of this host and the reason why a GPU is not used.
void addDevicesCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
