// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace ringside {

// Whether somebody started this worker with an experiment, instead of a supervisor with channels.
bool isLaunched(int argc, char** argv);

// A rank under a launcher, or by hand: finds its place, meets the others, trains. Rank 0 hosts the run. Gives the exit
// code.
int runLaunched(int argc, char** argv, pid_t parent);

}  // namespace ringside
