// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Ranks on one host (computer) of a run. Lists of groups are ordered by the first rank of each group.
struct HostGroup {
    QString host;  // name of the host; empty: the host of the supervisor, the process that starts the ranks
    std::vector<int> ranks;
    QString link = {};  // connection to the other hosts, such as "0.2 ms round trip, 940 Mbit/s"; empty if unknown
    bool slow = false;  // true if the connection is slow; `link` contains the reason

    QString name() const;  // returns `host`, or "this host" if `host` is empty
};

// Returns all hosts of a run with their ranks and connections.
std::vector<HostGroup> hostsWithLinks(const RunData& run);

// Returns the hosts with their ranks; empty if all ranks are on one host, or if every rank is on a host of its own.
std::vector<HostGroup> hostGroups(const RunData& run);

// Returns a text with the offset between the clock of the rank's host and the clock of the run; empty if no offset was
// measured.
QString hostClockText(const RunData& run, int rank);

}  // namespace ringside
