// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "launch/layout/launch_layout.h"
#include "launch/rendezvous/rendezvous_host.h"
#include "run/prepare/experiment_file.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/events.h"

namespace ringside {

// Settings of a classroom.
struct ClassroomPlan {
    Experiment experiment;      // experiment of the run; its parallel.world_size is the desired number of ranks
    std::filesystem::path out;  // run directory
    std::filesystem::path worker;
    std::string name;  // displayed name of this computer, which is the classroom's host and runs rank 0
    std::int64_t maxBytes = 0;
    std::string program;             // version of Ringside; all members must have the same version
    bool stopsAtEndOfInput = false;  // true: the end of the input closes the classroom, unless a run is in progress
};

// Settings of one start of a classroom's ranks.
struct ClassroomTraining {
    LaunchLayout layout;
    RendezvousTerms terms;
    std::string resume;         // path of the checkpoint to resume from; empty to start from the beginning
    std::int64_t restarts = 0;  // number of earlier starts of the ranks in this classroom
    int stopFd = -1;            // descriptor that becomes readable when a stop is requested
    std::function<void(const RunData&, unsigned)> onChange;  // called after events of the run were recorded
    std::function<void(const std::string&)> log;             // called with each message for the user
};

// Result of one start of the ranks.
struct ClassroomOutcome {
    RunOutcome state = RunOutcome::kFailed;
    std::string verdict;
    int exitCode = 0;
    int firstFailedRank = -1;
    bool isMisuse = false;               // true if the first failed rank sent invalid data
    std::vector<Culprit> culprits = {};  // ranks that made the start fail
};

// Trains with the ranks of one start, with this process as the supervisor of the ranks (hostLaunchedRun()). Blocks
// until the run has ended. Returns an outcome also for an error; does not throw Error. Calls the functions of
// `training` from the calling thread.
ClassroomOutcome trainClassroom(const ClassroomPlan& plan, ClassroomTraining training);

}  // namespace ringside
