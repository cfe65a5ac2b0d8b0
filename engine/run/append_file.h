// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace ringside {

// A growing file of lines, gathered in memory and written in large pieces of whole lines.
class AppendFile {
  public:
    explicit AppendFile(std::filesystem::path path);  // creates it; throws IoError

    void add(std::string_view text);  // whole lines; may write; throws IoError
    void flush();                     // hands everything to the system; throws IoError when it does not fit

  private:
    std::filesystem::path m_path;
    UniqueFd m_fd;
    std::string m_pending;
};

}  // namespace ringside
