// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/time/clock.h"

namespace ringside {

// Whether the kernel's out-of-memory killer has struck within the last seconds: in our control group, or on this
// machine where that cannot be asked.
class MemoryKills {
  public:
    MemoryKills();
    void look(TimePoint now);  // now and then: what was long ago has nothing to do with who dies now
    // Nothing where the kernel does not tell.
    std::optional<bool> struck() const;

  private:
    std::filesystem::path m_file;
    std::optional<std::int64_t> m_before;  // at the last look but one
    std::optional<std::int64_t> m_last;
    TimePoint m_lookAt{};
};

// The number behind "oom_kill" in a list of names and numbers.
std::optional<std::int64_t> oomKillsIn(std::string_view text);

}  // namespace ringside
