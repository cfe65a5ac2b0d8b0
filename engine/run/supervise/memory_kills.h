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
    // Reads the kernel's counter of out-of-memory kills, at most every 10 s. Must be called at each tick of the
    // supervisor, so that killedRecently() compares with a recent value.
    void read(TimePoint now);
    // True if the kernel has killed a process for lack of memory in the last 10 to 20 s; empty if the kernel does not
    // count such kills.
    std::optional<bool> killedRecently() const;

  private:
    std::filesystem::path m_file;
    std::optional<std::int64_t> m_before;  // number of kills at the reading of the counter before the latest one
    std::optional<std::int64_t> m_last;    // number of kills at the latest reading of the counter
    TimePoint m_nextReading{};
};

// Returns the number after "oom_kill" in the text of memory.events or /proc/vmstat; empty if it is missing.
std::optional<std::int64_t> oomKillsIn(std::string_view text);

}  // namespace ringside
