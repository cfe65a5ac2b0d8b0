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
    // True if the whole event repeats an event of an earlier call. Otherwise, stores the step or epoch of the event, so
    // that a later repetition is detected.
    bool isRepeated(const Event& event);
    // Discards the epoch results and sample reports of earlier calls, because a restarted script begins its epochs
    // again and reports them a second time. Repeated steps are still filtered.
    void acceptRepeatedEpochs();
    // Returns a copy of a steps frame without its repeated steps; empty if no step is repeated or the event is not a
    // steps frame. Call before isRepeated(), which stores the frame's steps as known.
    std::optional<StepsFrame> withoutRepeats(const Event& event) const;

  private:
    struct Recorded {
        std::int64_t step = 0;
        std::int64_t consumedEpoch = -1;
        // Latest reported sample indices of each loader: their epoch, and the position after the last index.
        std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> indices;
    };
    std::map<int, Recorded> m_ranks;
    std::map<SplitKind, std::int64_t> m_epochs;
};

}  // namespace ringside
