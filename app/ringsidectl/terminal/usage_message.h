// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ringside {

// Returns one line that describes an invalid command line: the offending word, the error and the remedy.
std::string usageMessage(const CLI::App& app, const CLI::Error& error, const std::string& firstWord);

// Returns the first option or argument of the chosen command that was given as "", as happens in a script with an unset
// variable. Empty if there is none.
std::string findEmptyOption(const CLI::App& command);

}  // namespace ringside
