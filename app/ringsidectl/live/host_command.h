// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// `ringsidectl host`: trains with the computers of those who join.
void addHostCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
