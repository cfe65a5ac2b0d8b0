// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "telemetry/events/event_choices.h"
#include "train/parts/wrong_index.h"

namespace ringside {

// Test hooks of a rank, called in its training thread before the rank continues. Released workers have none.
class RankHooks {
  public:
    virtual ~RankHooks() = default;
    virtual void onState(RankStage /*stage*/) {}   // called before the state is reported
    virtual void onStep(std::int64_t /*step*/) {}  // called after each trained step
    virtual std::optional<WrongIndex> wrongIndex() const { return {}; }
};

}  // namespace ringside
