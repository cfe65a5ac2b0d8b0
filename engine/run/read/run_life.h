// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ringside {

// State of a run, derived from the lock of its directory.
enum class RunLife {
    kLive,     // a supervisor holds the lock of the run
    kOver,     // the run has ended: there is no lock file, or no process holds its lock
    kUnknown,  // not known: the lock file belongs to another user, and /proc/locks does not list its lock
};

// Reads the lock of a run directory. A lock file that may not be opened, such as another user's, is looked up in
// /proc/locks; a lock that is not listed there may still be held in another container or on another host.
RunLife runLife(const std::filesystem::path& runDirectory);

// True if a supervisor is known to hold the lock of the directory.
bool isRunAlive(const std::filesystem::path& runDirectory);

// Returns a text such as "user root" if the lock file belongs to a user whose runs this process may not control; empty
// for own runs, for runs without a lock file, and if this process runs as root.
std::optional<std::string> otherOwner(const std::filesystem::path& runDirectory);

}  // namespace ringside
