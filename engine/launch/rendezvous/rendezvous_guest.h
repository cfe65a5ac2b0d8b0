// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/errors/result.h"
#include "launch/channels/rank_channels.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "launch/wire/greeting.h"

namespace ringside {

// The side of ranks 1, 2, ... of the rendezvous (algorithm: rendezvous_host.h). A rank tries each host and port of the
// terms until rank 0 accepts it, and opens its three connections. If it runs on another host, it measures its clock
// offset over the control connection before it opens the other two. Then it waits for the Welcome, which rank 0's
// process sends when all ranks are connected.

// Result of a successful rendezvous.
struct Joined {
    RankChannels channels;
    Welcome welcome;
    bool sameHost = false;           // true if this rank runs on rank 0's host
    std::int64_t clockOffsetUs = 0;  // number to add to this host's CLOCK_MONOTONIC to get rank 0's, in microseconds
    std::int64_t clockErrorUs = 0;   // upper bound of the error of clockOffsetUs, in microseconds
};

// Blocks until rank 0 has accepted this rank and all other ranks are connected. Returns a problem if rank 0 is not
// found within terms.deadline, refuses this rank, or gives up the start.
Result<Joined> joinRendezvous(const RendezvousTerms& terms, int rank, int worldSize, const std::string& hostName,
                              const std::string& ownHostKey);

// Reports to rank 0 that this rank cannot start, so that rank 0 and the others do not wait for it. Blocks until rank 0
// has received the reason, or until terms.deadline.
void declineRendezvous(const RendezvousTerms& terms, int rank, const std::string& hostName, const std::string& reason);

}  // namespace ringside
