// SPDX-License-Identifier: Apache-2.0
// layer_sweep [--short] [--every N] [--isa NAME]: compares every kind of layer, in many sizes, with plain loops, in
// guarded memory. oneDNN is limited to SSE4.1, AVX2 and AVX-512 in turn (or to NAME only), with 1 and 2 threads. A case
// that crashes is reported like one that is wrong. The long form takes hours; --every tests each Nth of its cases.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "base/errors/errors.h"
#include "sweeps/layer_checks.h"

using namespace ringside;

namespace {

// Progress of a child process, in shared memory, because the child may crash at any moment.
struct Standing {
    std::atomic<std::size_t> at{0};
    std::atomic<std::size_t> wrong{0};
};

Standing& sharedStanding() {
    void* memory = mmap(nullptr, sizeof(Standing), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    return *new (memory) Standing{};
}

struct Setting {
    std::string isa;
    int threads;
    std::string text() const { return isa + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }
};

void tryCase(const SweepCase& which, const Setting& setting, Standing& standing) {
    std::string fault;
    try {
        fault = findFault(which, setting.threads).value_or("");
    } catch (const DeviceError& error) {
        fault = error.what();
    }
    if (fault.empty()) return;
    ++standing.wrong;
    std::printf("%s, %s: %s\n", setting.text().c_str(), which.text().c_str(), fault.c_str());
}

[[noreturn]] void tryFrom(const std::vector<SweepCase>& cases, const Setting& setting, Standing& standing) {
    setenv("ONEDNN_MAX_CPU_ISA", setting.isa.c_str(), 1);
    for (; standing.at < cases.size(); ++standing.at) tryCase(cases[standing.at], setting, standing);
    std::fflush(stdout);
    _exit(0);
}

// Tests all cases in child processes. If a child crashes, the current case is the cause, and a new child continues with
// the next one. oneDNN reads the setting once per process, so it is set in the child.
std::size_t sweep(const std::vector<SweepCase>& cases, const Setting& setting) {
    Standing& standing = sharedStanding();
    while (standing.at < cases.size()) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child < 0) std::abort();
        if (child == 0) tryFrom(cases, setting, standing);
        int status = 0;
        waitpid(child, &status, 0);
        if (status == 0) break;
        ++standing.wrong;
        std::printf("%s, %s: died of %s\n", setting.text().c_str(), cases[standing.at].text().c_str(),
                    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "an error");
        ++standing.at;
    }
    std::printf("%s: %zu cases, %zu wrong\n", setting.text().c_str(), cases.size(), standing.wrong.load());
    std::fflush(stdout);
    return standing.wrong;
}

}  // namespace

int main(int argc, char** argv) {
    bool isShort = false;
    int every = 1;
    std::vector<std::string> sets{"SSE41", "AVX2", "AVX512_CORE"};
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--short") isShort = true;
        if (std::string(argv[i]) == "--every" && i + 1 < argc) every = std::max(1, std::atoi(argv[++i]));
        if (std::string(argv[i]) == "--isa" && i + 1 < argc) sets = {argv[++i]};
    }
    std::vector<SweepCase> cases;
    const std::vector<SweepCase> all = sweepCases(isShort);
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(every)) cases.push_back(all[i]);
    std::size_t wrong = 0;
    for (const std::string& isa : sets)
        for (const int threads : {1, 2}) wrong += sweep(cases, {isa, threads});
    return wrong == 0 ? 0 : 1;
}
