// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/run_config.h"
#include "run/rank_environment.h"

namespace ringside {

// What a rank computes on and how it talks to the others; each worker program brings its own. Called in this order,
// once each; the communicator goes before the backend. Both throw Error.
class RankDevices {
  public:
    virtual ~RankDevices() = default;
    virtual std::unique_ptr<Backend> makeBackend(const RankEnvironment& environment, const RunConfig& config) = 0;
    virtual std::unique_ptr<Communicator> join(const RankEnvironment& environment, const RunConfig& config,
                                               Backend& backend) = 0;
};

// CPU arithmetic; shared memory or Gloo.
std::unique_ptr<RankDevices> makeCpuDevices();

}  // namespace ringside
