// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "launch/classroom/class_lines.h"

namespace ringside {

// Files that a guest keeps under their SHA-256, so that the next class with the same data need not send them again. All
// files together have at most `mostBytes`; the files that were used longest ago are removed first.
class KeptFiles {
  public:
    KeptFiles(std::filesystem::path folder, std::int64_t mostBytes);

    // Removes files that are not offered until the others and the offered files fit. Throws IoError.
    void makeRoomFor(const std::vector<ClassFile>& offered);
    // Makes `target` a second name of the kept file. False if the file is not kept, or not as it was offered.
    bool lend(const ClassFile& file, const std::filesystem::path& target) const;
    // Keeps a file that has arrived. A failure only means that the file travels again next time.
    void keep(const ClassFile& file, const std::filesystem::path& arrived) const;

  private:
    std::filesystem::path kept(const ClassFile& file) const { return m_folder / file.sha256; }

    std::filesystem::path m_folder;
    std::int64_t m_mostBytes;
};

}  // namespace ringside
