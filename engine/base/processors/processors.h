// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// CPUs that the calling thread may run on (its affinity mask), at least 1.
int usableProcessors();

// Names the calling thread, in at most 15 letters, for tools that show threads (top -H, gdb, /proc).
void nameThread(const char* name);

// From now on the calling thread runs only where a CPU has nothing else to do (SCHED_IDLE), or hardly at all beside
// what does: some 0.3 % of a CPU that others want, in short turns where the kernel lets it ask for them. There is no
// way back without privileges.
void runOnlyWhereIdle();

// Lowers the calling thread, and what it starts from now on, to a niceness of 10: below the window, which must stay
// fluid. Ranks and their supervisor do so alike: whichever had more weight would keep all ranks waiting for the one
// that it displaces.
void giveWayToTheWindow();

// The same for a session of its own. Linux makes it an autogroup, which gets as much CPU as the window's whatever the
// niceness of its processes (sched(7)).
void letSessionGiveWay();

}  // namespace ringside
