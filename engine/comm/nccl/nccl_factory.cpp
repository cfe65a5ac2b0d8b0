// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_communicator.h"

namespace ringside {

std::unique_ptr<NcclCommunicator> makeNcclCommunicator(Store& store, int rank, int size, NcclOptions options) {
    NcclDependencies dependencies{makeNcclApi(), makeGpuRuntime(), std::make_shared<SteadyClock>()};
    return std::make_unique<NcclCommunicator>(std::move(dependencies), store, rank, size, options);
}

}  // namespace ringside
