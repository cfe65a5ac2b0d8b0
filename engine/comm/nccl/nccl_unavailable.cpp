// SPDX-License-Identifier: Apache-2.0
#include "base/errors/errors.h"
#include "comm/nccl/nccl_api.h"

namespace ringside {

std::unique_ptr<NcclApi> makeNcclApi() {
    throw CommError(
        "this build has no NCCL, so ranks on several GPUs cannot communicate: install libnccl-dev and build again, or "
        "set parallel.device to cpu");
}

}  // namespace ringside
