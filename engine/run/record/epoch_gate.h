// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "run/record/record_budget.h"

namespace ringside {

// Choice of the epochs that are recorded: all while the budget (the size limit of the run directory) allows it, then
// every second, fourth, ... epoch. Each epoch is recorded completely, with its results and the checks of all ranks, or
// not at all. The last planned epoch is always recorded.
class EpochGate {
  public:
    EpochGate(RecordBudget& budget, int worldSize, std::int64_t epochs);

    // True if the epoch is recorded. The first call for an epoch decides, and subtracts the size of the epoch's lines
    // from the budget; later calls return the same decision.
    bool isRecorded(std::int64_t epoch);

  private:
    RecordBudget& m_budget;
    const std::int64_t m_epochs;
    const std::size_t m_bytes;               // approximate size of an epoch's lines, in bytes
    std::map<std::int64_t, bool> m_decided;  // decision whether to record an epoch, for the 16 latest epochs
};

}  // namespace ringside
