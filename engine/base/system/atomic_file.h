// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/system/unique_fd.h"

namespace ringside {

// File that appears complete or not at all: it is written under a temporary name in the same directory, and commit()
// renames it. All members throw IoError, also if path is a directory, a device or a pipe.
class AtomicFile {
  public:
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile();  // removes the temporary file if commit() was not called
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::size_t offset, std::span<const std::byte> content);
    void commit();  // syncs the file, renames it to its final name and syncs the directory
    // Renames the file to its final name without syncing. The file survives if this process is killed, but can be lost
    // if the machine fails.
    void commitWithoutSync();

  private:
    std::filesystem::path m_path;
    // Directory that contains the file and its temporary name. Kept open, so that the file stays in this directory even
    // if another process replaces a folder of the path.
    UniqueFd m_directory;
    UniqueFd m_file;
    std::string m_temporary;
};

// Returns "is a directory" or a similar text for a mode that is not a regular file.
std::string fileKindText(mode_t mode);

}  // namespace ringside
