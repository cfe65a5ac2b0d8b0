// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/run_config.h"
#include "data/loading/batch_memory.h"
#include "launch/channels/rank_channels.h"
#include "launch/place/rank_environment.h"
#include "telemetry/events/events.h"

namespace ringside {

// What a rank computes on and how it talks to the others; each worker program brings its own. Called in this order,
// once each; the communicator goes before the backend. Both throw Error.
class RankDevices {
  public:
    virtual ~RankDevices() = default;
    virtual std::unique_ptr<Backend> makeBackend(const RankEnvironment& environment, const RunConfig& config) = 0;
    // Asks the GPU that makeBackend() chose; may take its time. Empty: this rank has none.
    virtual std::function<GpuReading()> gpuReader() { return {}; }
    // What loader.pin_memory asks for; null: ordinary memory. The backend outlives it.
    virtual std::unique_ptr<BatchMemory> batchMemory(const RunConfig&) { return nullptr; }
    // Takes what it needs of the channels.
    virtual std::unique_ptr<Communicator> join(const RankEnvironment& environment, RankChannels& channels,
                                               const RunConfig& config, Backend& backend) = 0;
};

// CPU arithmetic; shared memory or Gloo.
std::unique_ptr<RankDevices> makeCpuDevices();

}  // namespace ringside
