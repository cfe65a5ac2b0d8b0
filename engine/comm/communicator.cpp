// SPDX-License-Identifier: Apache-2.0
#include "comm/communicator.h"

#include "base/errors/errors.h"

namespace ringside {

std::size_t sizeOf(CommType type) {
    switch (type) {
        case CommType::kFloat32:
            return 4;
        case CommType::kFloat64:
        case CommType::kInt64:
            return 8;
        case CommType::kByte:
            return 1;
    }
    RINGSIDE_ASSERT(false);
}

CommHandle Communicator::allGatherAsync(CommBuffer in, CommBuffer out) {
    allGather(in, out);
    return {};
}

CommHandle Communicator::reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) {
    reduceScatter(in, out, op);
    return {};
}

void Communicator::startTogether(std::span<const CollectiveCall> calls, std::vector<CommHandle>& handles) {
    for (const CollectiveCall& call : calls) {
        switch (call.kind) {
            case CollectiveKind::kAllReduce:
                allReduce(call.in, call.op);
                break;
            case CollectiveKind::kAllGather:
                handles.push_back(allGatherAsync(call.in, call.out));
                break;
            case CollectiveKind::kReduceScatter:
                handles.push_back(reduceScatterAsync(call.in, call.out, call.op));
                break;
            case CollectiveKind::kBroadcast:
            case CollectiveKind::kBarrier:
                RINGSIDE_ASSERT(false);
        }
    }
}

void Communicator::countCollective(CollectiveKind kind, CommBuffer in) {
    const auto ranks = static_cast<std::int64_t>(size());
    const auto bytes = static_cast<std::int64_t>(in.bytes());
    switch (kind) {
        case CollectiveKind::kAllReduce:
            m_bytesSent.fetch_add(2 * bytes * (ranks - 1) / ranks, std::memory_order_relaxed);
            return;
        case CollectiveKind::kAllGather:
            m_bytesSent.fetch_add(bytes * (ranks - 1), std::memory_order_relaxed);
            return;
        case CollectiveKind::kReduceScatter:
        case CollectiveKind::kBroadcast:
            m_bytesSent.fetch_add(bytes * (ranks - 1) / ranks, std::memory_order_relaxed);
            return;
        case CollectiveKind::kBarrier:
            return;
    }
}

}  // namespace ringside
