// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/errors/result.h"
#include "launch/channels/rank_channels.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "launch/wire/greeting.h"

namespace ringside {

// A rank's side: finds rank 0, proves itself, waits until all have come.
struct Joined {
    RankChannels channels;
    Welcome welcome;
    bool sameHost = false;           // as rank 0
    std::int64_t clockOffsetUs = 0;  // to add to this host's clock to have rank 0's
    std::int64_t clockErrorUs = 0;   // at most
};

Result<Joined> joinRendezvous(const RendezvousTerms& terms, int rank, int worldSize, const std::string& hostName,
                              const std::string& ownHostKey);

}  // namespace ringside
