// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace ringside {

// Whether the kernel's out-of-memory killer has struck since this was made: in our control group, or on this machine
// where that cannot be asked.
class MemoryKills {
  public:
    MemoryKills();
    // Nothing where the kernel does not tell.
    std::optional<bool> struck() const;

  private:
    std::filesystem::path m_file;
    std::optional<std::int64_t> m_before;
};

// The number behind "oom_kill" in a list of names and numbers.
std::optional<std::int64_t> oomKillsIn(std::string_view text);

}  // namespace ringside
