// SPDX-License-Identifier: Apache-2.0
#include "base/system/user_directory.h"

#include <cstdlib>

namespace ringside {
namespace {

struct Location {
    const char* variable;
    const char* belowHome;
};

Location locationOf(UserDirectory kind) {
    switch (kind) {
        case UserDirectory::kData:
            return {"XDG_DATA_HOME", ".local/share"};
        case UserDirectory::kState:
            break;
    }
    return {"XDG_STATE_HOME", ".local/state"};
}

}  // namespace

std::filesystem::path userDirectory(UserDirectory kind) {
    const Location location = locationOf(kind);
    const char* given = std::getenv(location.variable);
    if (given != nullptr && *given == '/') return std::filesystem::path(given) / "ringside";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr ? home : "/tmp") / location.belowHome / "ringside";
}

}  // namespace ringside
