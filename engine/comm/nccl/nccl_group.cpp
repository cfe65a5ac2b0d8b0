// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_group.h"

#include "base/errors/errors.h"

namespace ringside {
namespace {

NcclResult callOne(NcclApi& api, const CollectiveCall& call, NcclComm comm, DeviceStream stream) {
    const CommBuffer& in = call.in;
    switch (call.kind) {
        case CollectiveKind::kAllReduce:
            return api.allReduce(in.data, in.data, in.count, in.type, call.op, comm, stream);
        case CollectiveKind::kAllGather:
            return api.allGather(in.data, call.out.data, in.count, in.type, comm, stream);
        case CollectiveKind::kReduceScatter:
            return api.reduceScatter(in.data, call.out.data, call.out.count, in.type, call.op, comm, stream);
        case CollectiveKind::kBroadcast:
        case CollectiveKind::kBarrier:
            break;
    }
    RINGSIDE_ASSERT(false);
}

}  // namespace

NcclResult callTogether(NcclApi& api, std::span<const CollectiveCall> calls, NcclComm comm, DeviceStream stream) {
    if (const NcclResult started = api.groupStart(); isError(started)) return started;
    NcclResult failure = NcclResult::kSuccess;
    for (const CollectiveCall& call : calls) {
        failure = callOne(api, call, comm, stream);
        if (isError(failure)) break;
    }
    const NcclResult ended = api.groupEnd();
    return isError(failure) ? failure : ended;
}

}  // namespace ringside
