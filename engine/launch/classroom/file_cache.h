// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "launch/classroom/classroom_lines.h"

namespace ringside {

// Cache of a guest's received files, named by SHA-256, so that the host of a later classroom with the same data need
// not send these files again. All cached files together have at most `maxBytes` bytes; the least recently used files
// are removed first.
class FileCache {
  public:
    FileCache(std::filesystem::path folder, std::int64_t maxBytes);

    // Removes the least recently used files outside the offer until the remaining files and the offered files fit.
    // Throws IoError.
    void makeRoomFor(const std::vector<ClassroomFile>& offered);
    // Makes `target` a hard link to (or copy of) a cached file. Returns false if the file is not cached or its contents
    // differ from the offered ones.
    bool linkTo(const ClassroomFile& file, const std::filesystem::path& target) const;
    // Stores a received file. Ignores failures: the host then only sends the file again the next time.
    void store(const ClassroomFile& file, const std::filesystem::path& arrived) const;

  private:
    std::filesystem::path pathOf(const ClassroomFile& file) const { return m_folder / file.sha256; }

    std::filesystem::path m_folder;
    std::int64_t m_maxBytes;
};

}  // namespace ringside
