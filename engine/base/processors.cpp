// SPDX-License-Identifier: Apache-2.0
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace ringside {

int usableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));  // more than a cpu_set_t holds
}

void runOnlyWhereIdle() {
    const sched_param none{};
    [[maybe_unused]] const int refused = ::sched_setscheduler(0, SCHED_IDLE, &none);  // then it stays as it is
}

}  // namespace ringside
