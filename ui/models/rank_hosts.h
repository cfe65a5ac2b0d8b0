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
    QString link = {};  // how the others reach it: "0.2 ms round trip, 940 Mbit/s"; empty: not known
    bool slow = false;  // that link, and it says why

    QString name() const;  // "this host" where it has none
};

// How the others reach the hosts of a run, one each, whether or not they are groups.
std::vector<HostGroup> hostsWithLinks(const RunData& run);

// None where grouping says nothing: all ranks are on one host, or no two share one.
std::vector<HostGroup> hostGroups(const RunData& run);

// How the clock of a rank's host stands to the run's, in words; empty where it is the same or not compared yet.
QString hostClockText(const RunData& run, int rank);

}  // namespace ringside
