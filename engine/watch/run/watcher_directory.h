// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

// Private directory of a watcher, mode 700, with the file of its secret and the path of its socket. The destructor
// removes the directory.
class WatcherDirectory {
  public:
    // Makes the directory below $XDG_RUNTIME_DIR or the directory for temporary files. Throws IoError.
    WatcherDirectory();
    ~WatcherDirectory();
    WatcherDirectory(const WatcherDirectory&) = delete;
    WatcherDirectory& operator=(const WatcherDirectory&) = delete;

    const std::string& secret() const { return m_secret; }
    std::filesystem::path secretFile() const { return m_directory / "secret"; }
    std::filesystem::path socket() const { return m_directory / "socket"; }

  private:
    std::filesystem::path m_directory;
    std::string m_secret;
};

// Writes a secret to a new file with mode 600. Throws IoError.
void writeSecretFile(const std::filesystem::path& file, const std::string& secret);

// Returns the content of a secret's file without surrounding white space. Returns a problem if the file cannot be read,
// is empty, longer than 4,096 bytes, or readable by other users.
Result<std::string> readSecretFile(const std::filesystem::path& file);

// Returns the environment variables that make each Python process of a command report to the watcher
// (docs/watch-protocol.md). address: "unix:PATH" or "tcp:HOST:PORT". Returns a problem if the Python package is not
// installed.
Result<std::vector<std::string>> watchEnvironment(const std::string& address, const std::filesystem::path& secretFile);

}  // namespace ringside
