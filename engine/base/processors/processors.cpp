// SPDX-License-Identifier: Apache-2.0
#include "base/processors/processors.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace ringside {

namespace {

constexpr int kNiceness = 10;

}  // namespace

int usableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));  // more than a cpu_set_t holds
}

void nameThread(const char* name) {
    ::pthread_setname_np(::pthread_self(), name);
}

void runOnlyWhereIdle() {
    const sched_param none{};
    [[maybe_unused]] const int refused = ::sched_setscheduler(0, SCHED_IDLE, &none);  // then it stays as it is
}

void giveWayToTheWindow() {
    if (::getpriority(PRIO_PROCESS, 0) < kNiceness) ::setpriority(PRIO_PROCESS, 0, kNiceness);
}

void letSessionGiveWay() {
    std::ofstream("/proc/self/autogroup") << kNiceness;  // absent where the kernel does not group sessions
}

}  // namespace ringside
