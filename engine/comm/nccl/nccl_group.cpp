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

NcclResult exchangeWith(NcclApi& api, int peer, PeerExchange exchange, NcclComm comm, DeviceStream stream) {
    auto* const values = static_cast<float*>(exchange.memory);
    const NcclResult sent = api.send(values + exchange.rank, 1, CommType::kFloat32, peer, comm, stream);
    return isError(sent) ? sent : api.recv(values + peer, 1, CommType::kFloat32, peer, comm, stream);
}

}  // namespace

NcclResult exchangeWithPeers(NcclApi& api, PeerExchange exchange, NcclComm comm, DeviceStream stream) {
    if (const NcclResult started = api.groupStart(); isError(started)) return started;
    NcclResult failure = NcclResult::kSuccess;
    for (int peer = 0; peer < exchange.size && !isError(failure); ++peer)
        if (peer != exchange.rank) failure = exchangeWith(api, peer, exchange, comm, stream);
    const NcclResult ended = api.groupEnd();
    return isError(failure) ? failure : ended;
}

NcclResult callAsGroup(NcclApi& api, std::span<const CollectiveCall> calls, NcclComm comm, DeviceStream stream) {
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
