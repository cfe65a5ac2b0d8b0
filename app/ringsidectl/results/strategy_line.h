// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "cost/strategy_cost.h"

namespace ringside {

// Figures of a strategy that was trained for a few seconds.
struct MeasuredStrategy {
    double stepMs = 0;
    std::optional<double> idleShare = {};
    int processors = 0;                           // number of CPUs that the ranks could use; 0: not known
    std::int64_t peak = 0;                        // memory of the rank with the highest peak, in bytes; 0: not reported
    std::optional<std::int64_t> divergedAt = {};  // first step whose loss was not finite; empty if all were finite; the
                                                  // times are valid in both cases
};

struct StrategyLine;

// Layout of the table: width of the options column, and whether there are measured columns.
struct StrategyColumns {
    std::size_t options = 0;
    bool measured = false;

    static StrategyColumns of(const std::vector<StrategyLine>& lines, bool measured);
};

// One line of the table: predicted and measured figures of a strategy.
struct StrategyLine {
    StrategyChoice choice;
    std::optional<MeasuredStrategy> measured = {};
    std::string problem = {};  // reason why the strategy could not be measured; empty if it was measured

    Json toJson() const;
    std::string text(const StrategyColumns& columns) const;
    static std::string heading(const StrategyColumns& columns);

  private:
    double measuredSamplesPerSecond() const;
    // Returns remarks about the measured figures: that the loss has diverged, and that more ranks than CPUs raise the
    // idle share. Empty if there are none.
    std::string note() const;
};

}  // namespace ringside
