// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Ranks on one host. Groups are ordered by their first rank.
struct HostGroup {
    QString host;  // name of the host; empty: the host that runs the supervisor
    std::vector<int> ranks;
    QString link = {};  // connection to the other hosts: "0.2 ms round trip, 940 Mbit/s"; empty if unknown
    bool slow = false;  // true if the connection is slow; `link` contains the reason

    QString name() const;  // returns `host`, or "this host" if it is empty
};

// Returns all hosts of a run with their ranks and connections.
std::vector<HostGroup> hostsWithLinks(const RunData& run);

// Returns the hosts with their ranks; empty if all ranks are on one host, or if every rank is on a host of its own.
std::vector<HostGroup> hostGroups(const RunData& run);

// Returns a text with the offset of the clock of a rank's host from the run's clock; empty if no offset was measured.
QString hostClockText(const RunData& run, int rank);

}  // namespace ringside
