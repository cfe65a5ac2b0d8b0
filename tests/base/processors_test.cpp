// SPDX-License-Identifier: Apache-2.0
#include "base/processors/processors.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/processors/cpu_share.h"
#include "support/catch.h"

using namespace ringside;

namespace {

struct Niceness {
    int before = -1;
    int after = -1;
};

// Calls lowerPriority() in a thread with the niceness `wanted`. Without privileges a thread cannot lower its
// niceness, so `before` can be higher than `wanted`.
Niceness lowerFrom(int wanted) {
    Niceness niceness;
    std::thread([&] {
        ::setpriority(PRIO_PROCESS, 0, wanted);
        niceness.before = ::getpriority(PRIO_PROCESS, 0);
        lowerPriority();
        niceness.after = ::getpriority(PRIO_PROCESS, 0);
    }).join();
    return niceness;
}

// Returns the kernel's line about the session of the calling process, "/autogroup-7 nice 0"; empty if sessions are not
// grouped.
std::string autogroup() {
    std::ifstream file("/proc/self/autogroup");
    return {std::istreambuf_iterator<char>(file), {}};
}

// True if a child process with its own session gets niceness 10. The kernel accepts only one change per 0.1 s from all
// unprivileged processes of a computer together (sched(7)), so the child tries up to 50 times.
bool childSessionGivesWay() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::setsid();
        bool done = false;
        for (int attempt = 0; attempt < 50 && !done; ++attempt) {
            lowerSessionPriority();
            done = autogroup().find(" nice 10\n") != std::string::npos;
            if (!done) ::usleep(30'000);
        }
        ::_exit(done ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("processors are counted from the affinity mask") {
    int inherited = 0;
    int bound = 0;
    std::thread([&] {
        inherited = usableProcessors();
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
        if (::sched_setaffinity(0, sizeof one, &one) == 0) bound = usableProcessors();
    }).join();
    CHECK(inherited >= 1);
    CHECK(bound == 1);
}

TEST_CASE("ranks of a host share its CPUs evenly, in whole CPUs") {
    // CPUs by core: cores with two CPUs each, and a last core with one.
    const std::vector<int> cpus{0, 4, 1, 5, 2, 6, 3};
    CHECK(shareOfCpus(cpus, 0, 3) == std::vector<int>{0, 4});
    CHECK(shareOfCpus(cpus, 1, 3) == std::vector<int>{1, 5});
    CHECK(shareOfCpus(cpus, 2, 3) == std::vector<int>{2, 6, 3});
    CHECK(shareOfCpus(cpus, 0, 8).empty());
    CHECK(shareOfCpus(cpus, 3, 3).empty());
    CHECK(cpuListText({8, 0, 2, 1, 3}) == "0-3,8");
    CHECK(cpuListText({5}) == "5");
}

TEST_CASE("existing and future threads stay on their assigned CPUs") {
    const pid_t child = ::fork();
    if (child == 0) {
        std::atomic<bool> go = false;
        int before = 0;
        int after = 0;
        std::thread early([&] {
            while (!go) std::this_thread::yield();
            before = usableProcessors();
        });
        const bool kept = setThreadAffinity({allowedCpus().front()});
        go = true;
        early.join();
        std::thread([&] { after = usableProcessors(); }).join();
        ::_exit(kept && before == 1 && after == 1 ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("only the calling thread runs at idle priority") {
    int there = -1;
    std::thread([&] {
        setIdlePolicy();
        there = ::sched_getscheduler(0);
    }).join();
    CHECK(there == SCHED_IDLE);
    CHECK(::sched_getscheduler(0) != SCHED_IDLE);
}

TEST_CASE("lowerPriority() raises a niceness below 10 to 10 and keeps a higher one") {
    const int here = ::getpriority(PRIO_PROCESS, 0);
    for (const int wanted : {0, 9, 10, 15}) {
        const Niceness niceness = lowerFrom(wanted);
        CAPTURE(wanted, niceness.before);
        CHECK(niceness.before >= wanted);
        CHECK(niceness.after == std::max(10, niceness.before));
    }
    CHECK(::getpriority(PRIO_PROCESS, 0) == here);
}

TEST_CASE("a separate session has lower priority if the kernel groups sessions") {
    if (autogroup().empty()) return;
    CHECK(childSessionGivesWay());
}
