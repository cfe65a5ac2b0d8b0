// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ringside {

// One line for a command line that cannot be understood: what is wrong with which word, and the way out.
std::string usageMessage(const CLI::App& app, const CLI::Error& error, const std::string& firstWord);

// The first option or argument of the chosen command that was given as "", as a script with an unset variable does;
// empty when there is none.
std::string emptyOption(const CLI::App& command);

}  // namespace ringside
