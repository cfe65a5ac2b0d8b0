// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// Returns the number of CPUs that the calling thread may run on (its affinity mask), at least 1.
int usableProcessors();

// Names the calling thread for tools that show threads (top -H, gdb, /proc). At most 15 characters.
void nameThread(const char* name);

// Gives the calling thread the policy SCHED_IDLE: it runs on idle CPUs and gets about 0.3 % of a CPU that other threads
// use. From Linux 6.12 on its time slice is 0.1 ms. Cannot be undone without privileges.
void setIdlePolicy();

// Raises the niceness of the calling thread, and of threads and processes that it starts later, to 10. The window of
// Ringside has a higher priority and stays responsive. Ranks and their supervisor use the same value: if one process
// had a higher priority, it would displace a rank, and all ranks would wait for that rank.
void lowerPriority();

// Lowers the priority of all processes of this process's session (setsid(2)). Linux schedules each session as one
// autogroup: without this call, the session gets the same CPU share as the session of the window, regardless of the
// niceness of its processes (sched(7)).
void lowerSessionPriority();

}  // namespace ringside
