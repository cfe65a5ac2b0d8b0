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
// standard error. If `config` is empty, reads the configuration from the run directory. `onConnectionClosed` is called
// in another thread when the process that supervises the run closes the control connection; the function must not
// return. `startNote` is written to the run's log at the start; empty: no line is written.
RankResult runAsRank(const RankEnvironment& environment, const std::optional<RunConfig>& config, RankChannels& channels,
                     std::function<void()> onConnectionClosed, const std::string& startNote = {});

}  // namespace ringside
