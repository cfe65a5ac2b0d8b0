// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ringside {

// Kinds of directories of the XDG base directory specification.
enum class UserDirectory { kData, kState };

// Returns the directory of this program for the user, such as $XDG_STATE_HOME/ringside or ~/.local/state/ringside.
// Relative values of the variable are ignored, as the specification demands. Creates nothing.
std::filesystem::path userDirectory(UserDirectory kind);

}  // namespace ringside
