// SPDX-License-Identifier: Apache-2.0
#include <nccl.h>

#include <cstring>

#include "base/errors/errors.h"
#include "comm/nccl/nccl_api.h"

namespace ringside {
namespace {

static_assert(sizeof(ncclUniqueId) == sizeof(NcclUniqueId));

NcclResult toResult(ncclResult_t result) {
    return static_cast<NcclResult>(static_cast<int>(result));
}

ncclDataType_t toNccl(CommType type) {
    switch (type) {
        case CommType::kFloat32:
            return ncclFloat32;
        case CommType::kFloat64:
            return ncclFloat64;
        case CommType::kInt64:
            return ncclInt64;
        case CommType::kByte:
            return ncclUint8;
    }
    RINGSIDE_ASSERT(false);
}

ncclRedOp_t toNccl(ReduceOp op) {
    RINGSIDE_ASSERT(op != ReduceOp::kTreeSum);
    return op == ReduceOp::kSum ? ncclSum : ncclMax;
}

ncclComm_t commOf(NcclComm comm) {
    return static_cast<ncclComm_t>(comm);
}

cudaStream_t streamOf(DeviceStream stream) {
    return static_cast<cudaStream_t>(stream);
}

class NcclLibrary final : public NcclApi {
  public:
    int version() override {
        int version = 0;
        ncclGetVersion(&version);
        return version;
    }

    NcclResult getUniqueId(NcclUniqueId& id) override {
        ncclUniqueId raw;
        const ncclResult_t result = ncclGetUniqueId(&raw);
        std::memcpy(id.bytes.data(), &raw, sizeof raw);
        return toResult(result);
    }

    NcclResult commInitRank(NcclComm& comm, int size, const NcclUniqueId& id, int rank) override {
        ncclUniqueId raw;
        std::memcpy(&raw, id.bytes.data(), sizeof raw);
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        ncclComm_t made = nullptr;
        const ncclResult_t result = ncclCommInitRankConfig(&made, size, raw, rank, &config);
        comm = made;
        return toResult(result);
    }

    NcclResult commSplit(NcclComm parent, int colour, int key, NcclComm& made) override {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        // Passes the address of `made` and not that of a local variable, because NCCL may write to it long after this
        // call, even after the parent communicator has been destroyed.
        auto* const child = reinterpret_cast<ncclComm_t*>(&made);
        return toResult(ncclCommSplit(commOf(parent), colour < 0 ? NCCL_SPLIT_NOCOLOR : colour, key, child, &config));
    }

    NcclResult commGetAsyncError(NcclComm comm, NcclResult& state) override {
        ncclResult_t raw = ncclSuccess;
        const ncclResult_t result = ncclCommGetAsyncError(commOf(comm), &raw);
        state = toResult(raw);
        return toResult(result);
    }

    std::string lastError(NcclComm comm) override {
        const char* text = ncclGetLastError(commOf(comm));
        return text ? text : "";
    }

    NcclResult commFinalize(NcclComm comm) override { return toResult(ncclCommFinalize(commOf(comm))); }
    NcclResult commDestroy(NcclComm comm) override { return toResult(ncclCommDestroy(commOf(comm))); }
    NcclResult commAbort(NcclComm comm) override { return toResult(ncclCommAbort(commOf(comm))); }

    NcclResult groupStart() override { return toResult(ncclGroupStart()); }
    NcclResult groupEnd() override { return toResult(ncclGroupEnd()); }

    NcclResult allReduce(const void* in, void* out, std::size_t count, CommType type, ReduceOp op, NcclComm comm,
                         DeviceStream stream) override {
        return toResult(ncclAllReduce(in, out, count, toNccl(type), toNccl(op), commOf(comm), streamOf(stream)));
    }

    NcclResult broadcast(void* buffer, std::size_t count, CommType type, int root, NcclComm comm,
                         DeviceStream stream) override {
        return toResult(ncclBroadcast(buffer, buffer, count, toNccl(type), root, commOf(comm), streamOf(stream)));
    }

    NcclResult allGather(const void* in, void* out, std::size_t countPerRank, CommType type, NcclComm comm,
                         DeviceStream stream) override {
        return toResult(ncclAllGather(in, out, countPerRank, toNccl(type), commOf(comm), streamOf(stream)));
    }

    NcclResult reduceScatter(const void* in, void* out, std::size_t countPerRank, CommType type, ReduceOp op,
                             NcclComm comm, DeviceStream stream) override {
        return toResult(
            ncclReduceScatter(in, out, countPerRank, toNccl(type), toNccl(op), commOf(comm), streamOf(stream)));
    }

    NcclResult send(const void* data, std::size_t count, CommType type, int to, NcclComm comm,
                    DeviceStream stream) override {
        return toResult(ncclSend(data, count, toNccl(type), to, commOf(comm), streamOf(stream)));
    }

    NcclResult recv(void* data, std::size_t count, CommType type, int from, NcclComm comm,
                    DeviceStream stream) override {
        return toResult(ncclRecv(data, count, toNccl(type), from, commOf(comm), streamOf(stream)));
    }
};

}  // namespace

std::unique_ptr<NcclApi> makeNcclApi() {
    return std::make_unique<NcclLibrary>();
}

}  // namespace ringside
