// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Mean training loss of each epoch of a watched run, over the steps of all ranks. Each step is weighted by its number
// of samples if that is known.
class EpochResults {
  public:
    explicit EpochResults(int worldSize) : m_epochs(static_cast<std::size_t>(worldSize), 0) {}

    // Adds the steps of a rank. Returns the results of the epochs that have become complete, because each rank has
    // reported a step of a later epoch.
    std::vector<EpochResult> add(const StepsFrame& frame);
    // Discards the epochs that are not complete. Called when the ranks were started again, because they then count
    // epochs from 0.
    void beginAttempt();
    // Returns the results of the epochs that add() has not returned, at the end of the run.
    std::vector<EpochResult> finish();

  private:
    struct Totals {
        double lossSum = 0, plainLossSum = 0;
        std::int64_t samples = 0, steps = 0;
        std::int64_t lastStep = 0, lastUs = 0;
    };
    std::vector<EpochResult> popBelow(std::int64_t epoch);

    std::vector<std::int64_t> m_epochs;  // latest epoch of each rank
    std::map<std::int64_t, Totals> m_totals;
};

}  // namespace ringside
