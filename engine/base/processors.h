// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// CPUs that the calling thread may run on (its affinity mask), at least 1.
int usableProcessors();

// From now on the calling thread runs only where a CPU has nothing else to do (SCHED_IDLE), or hardly at all beside
// what does. There is no way back without privileges.
void runOnlyWhereIdle();

}  // namespace ringside
