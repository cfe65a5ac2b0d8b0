// SPDX-License-Identifier: Apache-2.0
#include "worker_devices.h"

namespace ringside {

std::unique_ptr<RankDevices> makeWorkerDevices() {
    return makeCpuDevices();
}

std::optional<int> printDevicesIfAsked(int, char**) {
    return std::nullopt;
}

}  // namespace ringside
