// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/unique_fd.h"

namespace ringside {

// Room set aside on the disk for a run's last words: when everything else has filled it, releasing this lets the
// verdict be written. It has no name, so it is gone with the process, however that ends.
class SpaceReserve {
  public:
    explicit SpaceReserve(const std::filesystem::path& directory);  // throws IoError when there is no room
    void release() { m_file.reset(); }

  private:
    UniqueFd m_file;
};

}  // namespace ringside
