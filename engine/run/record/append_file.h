// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"

namespace ringside {

// A growing file of lines, gathered in memory and written in large pieces of whole lines. When the disk refuses some,
// those are lost, and the file ends with the last line that fitted.
class AppendFile {
  public:
    explicit AppendFile(std::filesystem::path path);  // creates it; throws IoError

    void add(std::string_view text);  // whole lines; may write; throws IoError when it does not fit
    void flush();                     // hands everything to the system; throws IoError when it does not fit

    std::int64_t bytes() const {
        return static_cast<std::int64_t>(m_size) + static_cast<std::int64_t>(m_pending.size());
    }

  private:
    [[noreturn]] void fail(int error, std::size_t written);

    std::filesystem::path m_path;
    UniqueFd m_fd;
    off_t m_size = 0;
    std::string m_pending;
};

}  // namespace ringside
