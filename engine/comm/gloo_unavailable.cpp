// SPDX-License-Identifier: Apache-2.0
#include "base/errors/errors.h"
#include "comm/communicator_factory.h"

namespace ringside {

bool glooAvailable() {
    return false;
}

std::unique_ptr<Communicator> makeGlooCommunicator(std::shared_ptr<Store>, int, int, CommOptions) {
    throw CommError(
        "parallel.backend=gloo is not in this build: install libgloo-dev and build again, or use parallel.backend=shm");
}

}  // namespace ringside
