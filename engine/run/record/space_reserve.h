// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/system/unique_fd.h"

namespace ringside {

// Room set aside on the disk, for a run's last words or for a checkpoint: when everything else has filled it, releasing
// this lets them be written. It has no name, so it is gone with the process, however that ends.
class SpaceReserve {
  public:
    static constexpr std::int64_t kLastWords = 256 << 10;  // summary, end line and log with twenty long last lines

    // Throws IoError when there is no room; what it is for is part of the text.
    explicit SpaceReserve(const std::filesystem::path& directory, std::int64_t bytes = kLastWords,
                          const std::string& what = "a run");
    void shrinkTo(std::int64_t bytes);
    void release() { m_file.reset(); }

  private:
    UniqueFd m_file;
};

}  // namespace ringside
