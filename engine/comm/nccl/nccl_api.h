// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "tensor/gpu_runtime.h"

namespace ringside {

// Result codes of NCCL 2.x (ncclResult_t).
enum class NcclResult : int {
    kSuccess = 0,
    kUnhandledCudaError = 1,
    kSystemError = 2,
    kInternalError = 3,
    kInvalidArgument = 4,  // the only error after which the communicator remains usable
    kInvalidUsage = 5,
    kRemoteError = 6,
    kInProgress = 7
};

using NcclComm = void*;  // type ncclComm_t of NCCL

struct NcclUniqueId {
    std::array<char, 128> bytes{};
};

// Interface to the NCCL functions in use, one virtual function each, so that error paths, timeouts and the order of
// calls are testable without a GPU. Communicators are created non-blocking: every call may return kInProgress. Counts
// are numbers of elements of `type`.
class NcclApi {
  public:
    virtual ~NcclApi() = default;

    virtual int version() = 0;  // returns NCCL's version number: 22809 for 2.28.9
    virtual NcclResult getUniqueId(NcclUniqueId& id) = 0;
    virtual NcclResult commInitRank(NcclComm& comm, int size, const NcclUniqueId& id, int rank) = 0;
    // Creates the group of all ranks with this colour, ordered by key; null for a colour of -1. The split may still be
    // in progress when the call returns kSuccess or kInProgress. `made` is set, and may be used, as soon as
    // commGetAsyncError() reports kSuccess for the parent; until then the variable `made` must exist.
    virtual NcclResult commSplit(NcclComm parent, int colour, int key, NcclComm& made) = 0;
    virtual NcclResult commGetAsyncError(NcclComm comm, NcclResult& state) = 0;
    virtual std::string lastError(NcclComm comm) = 0;
    virtual NcclResult commFinalize(NcclComm comm) = 0;
    virtual NcclResult commDestroy(NcclComm comm) = 0;
    virtual NcclResult commAbort(NcclComm comm) = 0;

    // Calls between groupStart() and groupEnd() are started together by groupEnd(). groupEnd() must be called even if
    // one of the calls failed.
    virtual NcclResult groupStart() = 0;
    virtual NcclResult groupEnd() = 0;

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

// True if the result of a call is a failure: neither success nor still in progress.
inline bool isError(NcclResult result) {
    return result != NcclResult::kSuccess && result != NcclResult::kInProgress;
}

// Returns NCCL's version number as text, for example "2.28.9" for 22809.
std::string ncclVersionText(int version);

// Returns a result code of NCCL as text, for example "remote error (6): a peer or the network between is gone".
std::string ncclResultText(NcclResult result);

// Returns the NCCL with which this program is linked; throws CommError in a build without NCCL.
std::unique_ptr<NcclApi> makeNcclApi();

}  // namespace ringside
