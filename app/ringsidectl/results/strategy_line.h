// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/json/json_fwd.h"
#include "cost/strategy_cost.h"

namespace ringside {

// What a few seconds of a strategy showed.
struct MeasuredStrategy {
    double stepMs = 0;
    std::optional<double> idleShare = {};
    std::int64_t peak = 0;  // of the rank that took most; 0: not told
};

struct StrategyLine {
    StrategyChoice choice;
    bool current = false;  // the experiment's own
    std::optional<MeasuredStrategy> measured = {};
    std::string problem = {};  // why it could not be measured

    Json toJson() const;
    std::string text() const;  // in the columns of heading()
    static std::string heading();
};

}  // namespace ringside
