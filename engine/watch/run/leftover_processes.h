// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

namespace ringside {

// Makes this process a subreaper: it becomes the parent of each descendant whose own parent has ended, so that
// leftoverProcesses() finds it. Must be called before the command is started.
void adoptLeftoverProcesses();

// Returns the living children of this process except `command`: processes that a command has left behind.
std::vector<pid_t> leftoverProcesses(pid_t command);

// Reaps all child processes that have ended, except `command`.
void reapLeftoverProcesses(pid_t command);

}  // namespace ringside
