// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_api.h"

namespace ringside {

std::string ncclVersionText(int version) {
    // Up to version 2.8 the version number was major * 1000 + minor * 100 + patch.
    const int majorUnit = version < 10000 ? 1000 : 10000;
    return std::to_string(version / majorUnit) + "." + std::to_string(version % majorUnit / 100) + "." +
           std::to_string(version % 100);
}

std::string ncclResultText(NcclResult result) {
    const std::string code = " (" + std::to_string(static_cast<int>(result)) + ")";
    switch (result) {
        case NcclResult::kSuccess:
            return "success" + code;
        case NcclResult::kUnhandledCudaError:
            return "CUDA error" + code + ": the GPU or its driver failed; see nvidia-smi, and dmesg for Xid messages";
        case NcclResult::kSystemError:
            return "system error" + code +
                   ": a socket, file or memory call failed; set NCCL_DEBUG=WARN in the environment to see which";
        case NcclResult::kInternalError:
            return "internal error" + code + " of NCCL; set NCCL_DEBUG=WARN in the environment for details";
        case NcclResult::kInvalidArgument:
            return "invalid argument" + code;
        case NcclResult::kInvalidUsage:
            return "invalid usage" + code + ": usually two ranks on one GPU without parallel.share_gpu";
        case NcclResult::kRemoteError:
            return "remote error" + code + ": the connection to a peer was lost; see the last lines of the other ranks";
        case NcclResult::kInProgress:
            return "the operation is still in progress" + code;
    }
    return "NCCL returned result" + code + ", which is unknown to Ringside";
}

}  // namespace ringside
