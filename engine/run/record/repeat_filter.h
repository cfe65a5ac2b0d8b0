// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "telemetry/events/events.h"

namespace ringside {

// Filter for repeated telemetry. Ranks that restart from a checkpoint train some steps a second time, with identical
// results, and report them again. The filter removes these reports, so that a run directory holds each step once.
class RepeatFilter {
  public:
    // True if the whole event repeats an earlier one. Otherwise stores the event's content, so that later repetitions
    // are found.
    bool isRepeated(const Event& event);
    // Accepts epochs and samples again that were reported before: the ranks of a script have begun them again. Steps
    // are still filtered.
    void acceptRepeatedEpochs();
    // Returns a frame without its repeated steps; empty if all its steps are new or the event is no frame. Call before
    // isRepeated(), which stores the steps as known.
    std::optional<StepsFrame> newPart(const Event& event) const;

  private:
    struct Recorded {
        std::int64_t step = 0;
        std::int64_t consumedEpoch = -1;
        // Epoch of the latest reported sample indices and the position after the last of them, by loader.
        std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> indices;
    };
    std::map<int, Recorded> m_ranks;
    std::map<SplitKind, std::int64_t> m_epochs;
};

}  // namespace ringside
