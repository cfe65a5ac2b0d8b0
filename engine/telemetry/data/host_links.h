// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// State of the network connections from one host of a run to the other hosts. The values are those of the host's best
// connection, because a slow connection may be caused by the host at its other end.
struct HostLink {
    // kFar: long round trip; kNarrow: low rate. See hostLinks() for the thresholds.
    enum class Slow { kNo, kFar, kNarrow };

    // name of the host as in RankData::host; empty: the host on which the supervisor of the run runs
    std::string host = {};
    int rank = 0;            // lowest rank on the host
    double roundTripMs = 0;  // shortest round trip measured in the last minutes, in milliseconds
    // Rate in the slower direction, measured while bytes are in flight. 0: could not be measured.
    double mbitPerSecond = 0;
    double minMbitPerSecond = 0;  // mbitPerSecond if it could be measured; otherwise a lower bound of the rate
    double inFlightShare = 0;     // share of the time (0 to 1) in which bytes are in flight
    double stepMs = 0;            // duration of a training step in milliseconds; 0: not known
    Slow slow = Slow::kNo;
    // For kNarrow: how many times slower the link is than the median of the other hosts' links. 0: there are no other
    // links.
    double timesSlower = 0;

    std::string text() const;  // returns the measured values, for example "2.1 ms round trip, 80 Mbit/s"
    // Returns the reason why the link is slow, for example "11 times slower than the median link of the other hosts";
    // empty if the link is not slow.
    std::string finding() const;
    std::string fullText() const;  // returns text(); if finding() is not empty, followed by a colon and finding()
};

// Returns one entry for each host that has reported its connections, ordered by the lowest rank on the host. In a run
// on two hosts, both entries would describe the same link: returns only the entry of the host without rank 0. Returns
// an empty list if all ranks are on one host.
//
// A link is far if a round trip takes more than a millisecond and more than a tenth of a step. A link is narrow if its
// rate is less than a third of the median of the other hosts' links and bytes are in flight for more than a tenth of
// the time. In a run on two hosts, the link is narrow if bytes are in flight for more than half of the time. The rate
// of a link is unknown if the receiving ranks wait for bytes in less than a fifth of the time in which bytes are in
// flight: a receiver that is busy computing reads late, so that its bytes are in flight for longer than the link needs.
//
// Limit: a receiver only counts the time between the beginning and the end of a message. With segmentation offload, the
// network card or the kernel delivers up to 64 KiB in one piece. The rate of a link then stays unknown if all messages
// are that short, and the link is never narrow.
std::vector<HostLink> hostLinks(const RunData& run);

}  // namespace ringside
