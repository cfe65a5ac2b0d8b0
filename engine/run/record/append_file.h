// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"

namespace ringside {

// Growing text file. Lines are buffered in memory and written in pieces of 256 KiB or more, or by flush(). If the disk
// refuses a write, the rest of the buffer is lost and the file ends with the last whole line that fitted.
class AppendFile {
  public:
    // Opens the file for appending; creates it if needed. Throws IoError.
    explicit AppendFile(std::filesystem::path path);

    // Adds whole lines, with their newlines. Throws IoError if the buffer is full and the disk refuses the write.
    void add(std::string_view text);
    // Passes the buffer to the kernel (no fsync). Throws IoError if the disk refuses the write.
    void flush();
    // Returns the number of bytes that this object has written or buffered.
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(m_size) + static_cast<std::int64_t>(m_pending.size());
    }

  private:
    [[noreturn]] void fail(int error, std::size_t written);

    std::filesystem::path m_path;
    UniqueFd m_fd;
    off_t m_before = 0;  // size of the file in bytes when it was opened
    off_t m_size = 0;    // bytes of whole lines that this object has written, after the first m_before bytes
    std::string m_pending;
};

}  // namespace ringside
