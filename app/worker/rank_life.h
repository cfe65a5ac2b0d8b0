// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "config/run_config.h"
#include "launch/channels/rank_channels.h"
#include "launch/place/rank_environment.h"

namespace ringside {

struct RankEnd {
    int exitCode = 0;
    std::string text;  // what went wrong, if anything did
};

// One rank from its first sign of life to its exit code; whatever goes wrong is told over its channels and on standard
// error. Without a configuration it is read from the run directory. onHangUp is called in another thread when whoever
// hosts the run is gone, and does not return. note: for the run's log, when the rank begins.
RankEnd liveAsRank(const RankEnvironment& environment, const std::optional<RunConfig>& config, RankChannels& channels,
                   std::function<void()> onHangUp, const std::string& note = {});

}  // namespace ringside
