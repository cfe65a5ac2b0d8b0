// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "tensor/gpu_runtime.h"

namespace ringside {

// ncclResult_t of NCCL 2.x.
enum class NcclResult : int {
    kSuccess = 0,
    kUnhandledCudaError = 1,
    kSystemError = 2,
    kInternalError = 3,
    kInvalidArgument = 4,  // the only error that leaves the communicator usable
    kInvalidUsage = 5,
    kRemoteError = 6,
    kInProgress = 7
};

using NcclComm = void*;  // ncclComm_t

struct NcclUniqueId {
    std::array<char, 128> bytes{};
};

// One virtual call per NCCL function the communicator uses, so that its error paths, deadlines and order are tested
// without a GPU. Communicators are made non-blocking: every call may answer kInProgress. Element counts are in
// values of `type`.
class NcclApi {
  public:
    virtual ~NcclApi() = default;

    virtual int version() = 0;  // 22809 = 2.28.9
    virtual NcclResult getUniqueId(NcclUniqueId& id) = 0;
    virtual NcclResult commInitRank(NcclComm& comm, int size, const NcclUniqueId& id, int rank) = 0;
    // The group of all ranks with this colour, by key; null for a colour of -1. In progress until the parent is not.
    virtual NcclResult commSplit(NcclComm parent, int colour, int key, NcclComm& made) = 0;
    virtual NcclResult commGetAsyncError(NcclComm comm, NcclResult& state) = 0;
    virtual std::string lastError(NcclComm comm) = 0;
    virtual NcclResult commFinalize(NcclComm comm) = 0;
    virtual NcclResult commDestroy(NcclComm comm) = 0;
    virtual NcclResult commAbort(NcclComm comm) = 0;

    virtual NcclResult allReduce(const void* in, void* out, std::size_t count, CommType type, ReduceOp op,
                                 NcclComm comm, DeviceStream stream) = 0;
    virtual NcclResult broadcast(void* buffer, std::size_t count, CommType type, int root, NcclComm comm,
                                 DeviceStream stream) = 0;
    virtual NcclResult allGather(const void* in, void* out, std::size_t countPerRank, CommType type, NcclComm comm,
                                 DeviceStream stream) = 0;
    virtual NcclResult reduceScatter(const void* in, void* out, std::size_t countPerRank, CommType type, ReduceOp op,
                                     NcclComm comm, DeviceStream stream) = 0;
    virtual NcclResult send(const void* data, std::size_t count, CommType type, int to, NcclComm comm,
                            DeviceStream stream) = 0;
    virtual NcclResult recv(void* data, std::size_t count, CommType type, int from, NcclComm comm,
                            DeviceStream stream) = 0;
};

// "2.28.9" for 22809.
std::string ncclVersionText(int version);

// "remote error (6): a peer or the network between is gone"
std::string ncclResultText(NcclResult result);

// The NCCL this program is linked with; throws CommError in a build without.
std::unique_ptr<NcclApi> makeNcclApi();

}  // namespace ringside
