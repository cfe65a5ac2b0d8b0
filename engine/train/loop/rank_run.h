// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/exit_code.h"
#include "config/run_config.h"
#include "launch/channels/rank_channels.h"
#include "launch/layout/rank_environment.h"
#include "telemetry/events/sink.h"
#include "train/devices/rank_devices.h"
#include "train/interfaces/control_source.h"
#include "train/interfaces/rank_hooks.h"

namespace ringside {

// Returns the options of the rank's telemetry sink. If the host has more ranks than CPUs, telemetry is encoded only
// while a CPU is idle.
SinkOptions sinkOptionsOf(const RankEnvironment& environment, const RankChannels& channels);

// Runs one rank until its end and returns the exit code of its process: loads the data, connects to the other ranks,
// trains, and reports each state to the sink. Throws Error. All references must stay valid during the call; `hooks` may
// be null.
ExitCode runRank(const RankEnvironment& environment, const RunConfig& config, RankChannels& channels,
                 TelemetrySink& sink, ControlSource& control, RankDevices& devices, RankHooks* hooks = nullptr);

// Reads the config.json that the supervisor has written into the run directory, and checks it. Throws Error.
RunConfig readRankConfig(const RankEnvironment& environment);

}  // namespace ringside
