// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

namespace ringside {

// Makes this process the parent of processes whose own parent has ended and that were started below it, so that it can
// find them. Call before the command is started.
void adoptLeftProcesses();

// Returns the living children of this process except `command`: processes that a command has left behind.
std::vector<pid_t> leftProcesses(pid_t command);

// Reaps all child processes that have ended, except `command`.
void reapLeftProcesses(pid_t command);

}  // namespace ringside
