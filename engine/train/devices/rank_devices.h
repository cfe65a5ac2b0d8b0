// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/run_config.h"
#include "data/loading/batch_memory.h"
#include "launch/channels/rank_channels.h"
#include "launch/layout/rank_environment.h"
#include "telemetry/events/events.h"

namespace ringside {

// Compute device of a rank and its connection to the other ranks. Each worker program has its own implementation. Each
// method is called once, in the order of declaration. The communicator must be destroyed before the backend.
// makeBackend() and connectToRanks() throw Error.
class RankDevices {
  public:
    virtual ~RankDevices() = default;
    virtual std::unique_ptr<Backend> makeBackend(const RankEnvironment& environment, const RunConfig& config) = 0;
    // Returns a function that reads the state of the GPU that makeBackend() chose. The function may block. Empty if
    // this rank has no GPU.
    virtual std::function<GpuReading()> gpuReader() { return {}; }
    // Returns the memory for batches as set by loader.pin_memory; null means ordinary memory. The backend must outlive
    // this memory.
    virtual std::unique_ptr<BatchMemory> batchMemory(const RunConfig&) { return nullptr; }
    // Connects to the other ranks and returns the communicator. Removes the file descriptors that it uses from
    // `channels`.
    virtual std::unique_ptr<Communicator> connectToRanks(const RankEnvironment& environment, RankChannels& channels,
                                                         const RunConfig& config, Backend& backend) = 0;
};

// RankDevices of the CPU worker: computes on the CPU, with collectives over shared memory, Gloo or MPI.
std::unique_ptr<RankDevices> makeCpuDevices();

}  // namespace ringside
