// SPDX-License-Identifier: Apache-2.0
#include "base/system/user_directory.h"

#include <cstdlib>

namespace ringside {
namespace {

struct Place {
    const char* variable;
    const char* belowHome;
};

Place placeOf(UserDirectory kind) {
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
    const Place place = placeOf(kind);
    const char* given = std::getenv(place.variable);
    if (given != nullptr && *given == '/') return std::filesystem::path(given) / "ringside";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr ? home : "/tmp") / place.belowHome / "ringside";
}

}  // namespace ringside
