// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace ringside {

// True if a launcher or a user started this worker with an experiment. False if a supervisor started it
// and passed it open channels (pipes and sockets).
bool isLaunched(int argc, char** argv);

// Runs a rank that was started by a launcher or by a user: detects its rank number, joins the rendezvous, trains. The
// process of rank 0 also supervises the run. `parent` is the process that started this one. Returns the exit code.
int runLaunched(int argc, char** argv, pid_t parent);

}  // namespace ringside
