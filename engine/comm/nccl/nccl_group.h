// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "comm/communicator.h"
#include "comm/nccl/nccl_api.h"

namespace ringside {

// Starts all calls as one group of NCCL on a stream. All buffers must be device memory. Returns the first error of a
// call, or the result of the group. The group is closed in every case.
NcclResult callTogether(NcclApi& api, std::span<const CollectiveCall> calls, NcclComm comm, DeviceStream stream);

}  // namespace ringside
