// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_api.h"

namespace ringside {

std::string ncclVersionText(int version) {
    // Up to 2.8 the code was major * 1000 + minor * 100 + patch.
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
                   ": a socket, file or memory call failed; NCCL_DEBUG=WARN in the environment names it";
        case NcclResult::kInternalError:
            return "internal error" + code + " of NCCL; NCCL_DEBUG=WARN in the environment tells more";
        case NcclResult::kInvalidArgument:
            return "invalid argument" + code;
        case NcclResult::kInvalidUsage:
            return "invalid usage" + code + ": most often two ranks on one GPU without the shared-GPU settings";
        case NcclResult::kRemoteError:
            return "remote error" + code + ": a peer or the network between is gone; see the other ranks' last lines";
        case NcclResult::kInProgress:
            return "still in progress" + code;
    }
    return "result" + code + ", which this program does not know";
}

}  // namespace ringside
