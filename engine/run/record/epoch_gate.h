// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "run/record/record_budget.h"

namespace ringside {

// Which epochs are recorded: all while there is room, then every second, fourth, ... An epoch is recorded whole, its
// results and the checks of all ranks, or not at all; the last that is planned always.
class EpochGate {
  public:
    EpochGate(RecordBudget& budget, int worldSize, std::int64_t epochs);

    bool keeps(std::int64_t epoch);

  private:
    RecordBudget& m_budget;
    const std::int64_t m_epochs;
    const std::size_t m_bytes;               // that an epoch takes, about
    std::map<std::int64_t, bool> m_decided;  // of the latest
};

}  // namespace ringside
