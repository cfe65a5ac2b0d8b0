// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "telemetry/events/event_choices.h"
#include "train/interfaces/wrong_index.h"

namespace ringside {

// Functions that a test calls inside a rank, in the rank's training thread. The worker programs that users run have no
// such functions.
class RankHooks {
  public:
    virtual ~RankHooks() = default;
    virtual void onState(RankStage /*stage*/) {}   // called before the stage is reported to the supervisor
    virtual void onStep(std::int64_t /*step*/) {}  // called after each trained step
    virtual std::optional<WrongIndex> wrongIndex() const { return {}; }
};

}  // namespace ringside
