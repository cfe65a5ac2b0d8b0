// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ringside {

// Adds `ringsidectl whatif`: predicts the step time of a recorded run under changed conditions.
void addWhatifCommand(CLI::App& app, std::function<int()>& action);

}  // namespace ringside
