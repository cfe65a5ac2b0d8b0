// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "launch/place/launch_place.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "run/prepare/prepared_run.h"
#include "run/read/run_directory.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/events.h"

namespace ringside {

// What rank 0's process does under torchrun, srun, mpirun and the like: it hosts the rendezvous, then what a supervisor
// does (the run directory, the control socket, the verdict) with rank 0 as a process of its own, so that whatever
// becomes of it is known and told.
struct LaunchedRun {
    LaunchPlace place;
    RendezvousTerms terms;
    bool ownToken = false;  // given, not made from the job
    PreparedRun run;
    std::filesystem::path worker;  // for rank 0
    std::int64_t epochUs = 0;
    int stopFd = -1;                                              // a read asks for a stop
    std::int64_t restart = 0;                                     // how often this run was started again
    std::string hostName;                                         // as rank 0 shall be called; empty: as the host is
    std::function<void(const RunData&, unsigned)> onChange = {};  // as SupervisorOptions has it
    std::function<void(const Culprit&)> blame = {};               // of ranks that keep the run from starting
    std::function<void(const std::string&)> say;                  // to whoever reads the launcher's output
};

// Until the run has ended and its directory is complete. A problem when it could not start: then nothing is left.
// Throws IoError.
Result<RunEnded> hostLaunchedRun(LaunchedRun launched, RunDirectory directory);

}  // namespace ringside
