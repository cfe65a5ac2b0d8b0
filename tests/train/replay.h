// SPDX-License-Identifier: Apache-2.0
// A device that records steps, without a GPU: while it records, operations and collectives go on a tape, which a launch
// plays. As on a GPU, the tape holds where tensors are and not what is in them, and nothing on it waits for the host.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"

namespace ringside::test {

struct Tape {
    bool recording = false;
    bool breaks = false;   // the end of every recording fails
    bool uploads = false;  // batches are copied to the device, as late as may be
    int recordings = 0;
    int launches = 0;
    std::vector<std::function<void()>> calls = {};

    void add(std::function<void()> call) {
        if (!recording) return call();
        calls.push_back(std::move(call));
    }
};

std::unique_ptr<Backend> makeReplayBackend(std::shared_ptr<Tape> tape);
// Collectives of `inner`, which outlives it.
std::unique_ptr<Communicator> makeReplayCommunicator(std::shared_ptr<Tape> tape, Communicator& inner);

}  // namespace ringside::test
