// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "telemetry/events/events.h"

namespace ringside {

// After ranks were started again from a checkpoint they train some steps a second time, to the same bits, and report
// them again. A run directory holds each of them once: what a rank has told before is taken out.
class RepeatFilter {
  public:
    // Whether nothing of it is new. Remembers what is.
    bool isRepeated(const Event& event);
    // The new part of a frame of which some steps are repeated; nothing when all of it is new. Ask first.
    std::optional<StepsFrame> newPart(const Event& event) const;

  private:
    struct Told {
        std::int64_t step = 0;
        std::int64_t consumedEpoch = -1;
        std::pair<std::int64_t, std::int64_t> indices{-1, 0};  // epoch, and the slot behind the last
    };
    std::map<int, Told> m_ranks;
    std::map<std::string, std::int64_t> m_epochs;  // by split
};

}  // namespace ringside
