// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// State of the network links between one host of a run and the other hosts. Contains the best of these links, because a
// slow link may be caused by the host at its other end.
struct HostLink {
    // kFar: long round trip; kNarrow: low rate. See hostLinks() for the thresholds.
    enum class Slow { kNo, kFar, kNarrow };

    std::string host = {};   // name of the host as in RankData::host; empty: the host of the run
    int rank = 0;            // lowest rank on the host
    double roundTripMs = 0;  // shortest round trip of the last minutes, in milliseconds
    // Rate while bytes are in flight, in the slower direction; 0: not measurable.
    double mbitPerSecond = 0;
    double minMbitPerSecond = 0;  // measured rate, or a lower bound if the data does not suffice to measure it
    double inFlightShare = 0;     // share of the time in which bytes are in flight
    double stepMs = 0;            // length of a step of the run; 0: not known
    Slow slow = Slow::kNo;
    // kNarrow: factor by which the link is slower than the median link of the other hosts; 0: there is no other link
    double timesSlower = 0;

    std::string text() const;  // returns the measured values, for example "2.1 ms round trip, 80 Mbit/s"
    // Returns the reason why the link is slow, for example "11 times slower than the other hosts"; empty if the link is
    // not slow.
    std::string finding() const;
    std::string fullText() const;  // returns text() and, if there is a finding, a colon and finding()
};

// Returns the links in the order of the hosts' lowest ranks. A run on one host has no links. A run on two hosts has one
// link, which is returned for the host without rank 0.
//
// A link is far if a round trip takes more than a millisecond and more than a tenth of a step. A link is narrow if its
// rate is less than a third of the other hosts' median and bytes are in flight for more than a tenth of the time.
// Between two hosts, the link is narrow if bytes are in flight for more than half of the time. The rate of a link is
// not known if its receivers wait for bytes in less than half of the time in which bytes are in flight: a receiver that
// computes reads and acknowledges late.
std::vector<HostLink> hostLinks(const RunData& run);

}  // namespace ringside
