// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ringside {

// Temporary directory that the destructor removes.
class WorkDirectory {
  public:
    // Creates the directory; `purpose` is a part of its name; throws IoError.
    explicit WorkDirectory(const std::string& purpose);
    ~WorkDirectory();
    WorkDirectory(const WorkDirectory&) = delete;
    WorkDirectory& operator=(const WorkDirectory&) = delete;
    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

}  // namespace ringside
