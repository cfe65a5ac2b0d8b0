// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Ranks that stand together because they share a host. Hosts come in the order of their first rank.
struct HostGroup {
    QString host;  // empty: the one of the run
    std::vector<int> ranks;
};

// None where grouping says nothing: all ranks are on one host, or no two share one.
std::vector<HostGroup> hostGroups(const RunData& run);

}  // namespace ringside
