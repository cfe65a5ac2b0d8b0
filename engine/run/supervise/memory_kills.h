// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/time/clock.h"

namespace ringside {

// Detects recent kills by the kernel's out-of-memory killer: in the control group of this process, or on the whole
// machine where the group cannot be read.
class MemoryKills {
  public:
    MemoryKills();
    // Reads the kernel's counter of kills, at most every 10 s, so that killedRecently() ignores older kills. Call at
    // each tick.
    void look(TimePoint now);
    // True if a process was killed within the last 10 to 20 s; empty if the kernel does not report such kills.
    std::optional<bool> killedRecently() const;

  private:
    std::filesystem::path m_file;
    std::optional<std::int64_t> m_before;  // kills counted at the second-latest read
    std::optional<std::int64_t> m_last;    // kills counted at the latest read
    TimePoint m_lookAt{};
};

// Returns the number after "oom_kill" in the text of memory.events or /proc/vmstat; empty if it is missing.
std::optional<std::int64_t> oomKillsIn(std::string_view text);

}  // namespace ringside
