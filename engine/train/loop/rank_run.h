// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/exit_code.h"
#include "config/run_config.h"
#include "launch/channels/rank_channels.h"
#include "launch/place/rank_environment.h"
#include "telemetry/events/sink.h"
#include "train/devices/rank_devices.h"
#include "train/parts/control_source.h"
#include "train/parts/rank_hooks.h"

namespace ringside {

// How a rank tells of itself: to its supervisor, and in time that no rank wants where they outnumber the CPUs.
SinkOptions sinkOptionsOf(const RankEnvironment& environment, const RankChannels& channels);

// One rank of a run from its configuration to its exit code: loads the data, joins the others, trains. Reports
// each state on the way. Throws Error when something stops it.
ExitCode runRank(const RankEnvironment& environment, const RunConfig& config, RankChannels& channels,
                 TelemetrySink& sink, ControlSource& control, RankDevices& devices, RankHooks* hooks = nullptr);

// Of the run directory, as a supervisor has written it. Throws Error.
RunConfig readRankConfig(const RankEnvironment& environment);

}  // namespace ringside
