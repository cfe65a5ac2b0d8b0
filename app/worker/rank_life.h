// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "config/run_config.h"
#include "launch/channels/rank_channels.h"
#include "launch/layout/rank_environment.h"

namespace ringside {

// Exit code and error of a rank that has ended.
struct RankResult {
    int exitCode = 0;
    std::string text;  // error text; empty on success
};

// Runs one rank from its first telemetry line to its exit code. Reports errors over the telemetry channel and on
// standard error. If `config` is empty, reads the configuration from the run directory. `onHangUp` runs in another
// thread when the host of the run closes the connection; it must not return. `note` is written to the run's log at the
// start.
RankResult runAsRank(const RankEnvironment& environment, const std::optional<RunConfig>& config, RankChannels& channels,
                     std::function<void()> onHangUp, const std::string& note = {});

}  // namespace ringside
