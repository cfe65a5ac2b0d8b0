// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "launch/layout/launch_layout.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "run/prepare/prepared_run.h"
#include "run/read/run_directory.h"
#include "run/supervise/live_commands.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/events.h"

namespace ringside {

// Arguments of hostLaunchedRun(): a run under torchrun, srun, mpirun or another launcher, as seen by the process of
// rank 0. This process hosts the rendezvous and is then the supervisor of the run. Rank 0 itself trains in a child
// process, so that its failure can be reported.
struct LaunchedRun {
    LaunchLayout layout;
    RendezvousTerms terms;
    // True: the token was set by RINGSIDE_TOKEN; false: it is derived from the launcher's job identifier.
    bool ownToken = false;
    PreparedRun run;
    std::filesystem::path worker;  // path of the program of rank 0
    std::int64_t runStartUs = 0;   // time of CLOCK_MONOTONIC at which the run's time is 0, in microseconds
    int stopFd = -1;               // descriptor that becomes readable when a stop is requested
    std::int64_t restart = 0;      // number of times that the launcher restarted the job before this start
    LiveCommands commands;         // control commands that the ranks execute again; see SupervisorOptions::commands
    std::string hostName;          // name of rank 0's host in the record; empty: the system's host name is used
    // Function that is called after events were recorded; see SupervisorOptions::onChange.
    std::function<void(const RunData&, unsigned)> onChange = {};
    std::function<void(const Culprit&)> onStartFailure = {};  // called with the ranks that prevent the run from
                                                              // starting
    std::function<void(const std::string&)> log;              // prints a line to the launcher's output
};

// Hosts a run until it has ended and its directory is complete; blocks. Returns the outcome. If the run cannot start,
// removes the run directory and returns a problem. Throws IoError.
Result<RunEnded> hostLaunchedRun(LaunchedRun launched, RunDirectory directory);

}  // namespace ringside
