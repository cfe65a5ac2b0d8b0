// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/time/clock.h"

namespace ringside {

// Detects recent kills by the kernel's out-of-memory killer: in the control group of this process, or, if the group
// cannot be read, on the whole machine.
class MemoryKills {
  public:
    MemoryKills();
    // Reads the kernel's counter of out-of-memory kills, at most every 10 s. Call at each tick, so that
    // killedRecently() does not count old kills.
    void look(TimePoint now);
    // True if a process was killed within the last 10 to 20 s; empty if the kernel does not report such kills.
    std::optional<bool> killedRecently() const;

  private:
    std::filesystem::path m_file;
    std::optional<std::int64_t> m_before;  // number of kills at the second-latest reading of the counter
    std::optional<std::int64_t> m_last;    // number of kills at the latest reading of the counter
    TimePoint m_lookAt{};
};

// Returns the number after "oom_kill" in the text of memory.events or /proc/vmstat; empty if it is missing.
std::optional<std::int64_t> oomKillsIn(std::string_view text);

}  // namespace ringside
