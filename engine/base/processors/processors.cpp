// SPDX-License-Identifier: Apache-2.0
#include "base/processors/processors.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace ringside {

namespace {

constexpr int kNiceness = 10;

// First version of struct sched_attr (sched_setattr(2)), which glibc declares only from 2.41 on.
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;  // time slice of the scheduler, in nanoseconds
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

}  // namespace

int usableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    // sched_getaffinity() fails if the host has more CPUs than a cpu_set_t can represent; the number of online CPUs is
    // returned then
    return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

void nameThread(const char* name) {
    ::pthread_setname_np(::pthread_self(), name);
}

// A SCHED_IDLE thread on a busy CPU runs rarely. If it is preempted while it holds a lock, other threads wait for its
// next time slice. Shorter slices come more often. Linux 6.12 and later let a thread choose the length of its slices
// (sched_setattr(2)).
void setIdlePolicy() {
    constexpr std::uint64_t kTurnNs = 100'000;
    const SchedulingAttributes attributes{.policy = SCHED_IDLE, .runtime = kTurnNs};
    if (::syscall(SYS_sched_setattr, 0, &attributes, 0) == 0) return;
    const sched_param none{};
    // if sched_setscheduler() fails, too, the thread keeps its scheduling policy
    [[maybe_unused]] const int refused = ::sched_setscheduler(0, SCHED_IDLE, &none);
}

void lowerPriority() {
    if (::getpriority(PRIO_PROCESS, 0) < kNiceness) ::setpriority(PRIO_PROCESS, 0, kNiceness);
}

void lowerSessionPriority() {
    std::ofstream("/proc/self/autogroup") << kNiceness;  // the file is absent if the kernel does not use autogroups
}

}  // namespace ringside
