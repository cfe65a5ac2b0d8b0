// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/system/unique_fd.h"

namespace ringside {

// A file that is there whole or not at all: written beside its place under another name, which commit() changes. Throws
// IoError, also where path is a directory, a device or a pipe.
class AtomicFile {
  public:
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile();  // without commit() nothing is left
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::size_t offset, std::span<const std::byte> content);
    void commit();  // fsync, rename, fsync of the directory

  private:
    std::filesystem::path m_path;
    // Everything happens in this one directory, whatever its path leads to meanwhile.
    UniqueFd m_directory;
    UniqueFd m_file;
    std::string m_temporary;
};

// "is a directory", for what is no regular file.
std::string fileKindText(mode_t mode);

}  // namespace ringside
