// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "comm/communicator.h"
#include "comm/nccl/nccl_api.h"

namespace ringside {

// Starts all calls as one group of NCCL on a stream. All buffers must be device memory. Returns the first error of a
// call, or the result of the group. The group is closed in every case.
NcclResult callAsGroup(NcclApi& api, std::span<const CollectiveCall> calls, NcclComm comm, DeviceStream stream);

// Arguments of exchangeWithPeers(): device memory, the number of this rank in the group, and the size of the group.
struct PeerExchange {
    void* memory = nullptr;  // device memory of one float for each rank
    int rank = 0;
    int size = 1;
};

// Exchanges a float with each other rank as one group of NCCL. NCCL connects two ranks in their first message, in which
// a send waits for its receive: without this exchange, two ranks that both sent first would wait for each other.
NcclResult exchangeWithPeers(NcclApi& api, PeerExchange exchange, NcclComm comm, DeviceStream stream);

}  // namespace ringside
