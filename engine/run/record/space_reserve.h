// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/system/unique_fd.h"

namespace ringside {

// Reserved disk space for the last lines of a run or for a checkpoint. If the disk is full, release() frees space for
// them. The reserve is an unlinked file, which the kernel removes when the process ends.
class SpaceReserve {
  public:
    static constexpr std::int64_t kFinalBytes = 256 << 10;  // bytes reserved for summary, end line and log

    // Reserves the space. Throws IoError if the disk has less; `what` is part of the error's text. If the file system
    // does not support reservations, no space is reserved.
    explicit SpaceReserve(const std::filesystem::path& directory, std::int64_t bytes = kFinalBytes,
                          const std::string& what = "a run");
    // Releases the reserve except for `bytes` bytes.
    void shrinkTo(std::int64_t bytes);
    // Releases the whole reserve.
    void release() { m_file.reset(); }

  private:
    UniqueFd m_file;
};

}  // namespace ringside
