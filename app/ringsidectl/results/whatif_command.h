// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

void addWhatifCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
