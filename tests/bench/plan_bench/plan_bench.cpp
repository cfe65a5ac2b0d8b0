// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sampling/plan/shard_plan.h"

using namespace ringside;

namespace {

struct Case {
    std::int64_t size = 0;
    std::int64_t world = 0;
    int rounds = 1;
};

struct PlanTimes {
    double plan = 1e300;     // time to compute a plan: afterwards any slot of any rank can be read
    double oneRank = 1e300;  // additional time to list the indices of rank 0
};

// Returns the shortest times of all rounds, in milliseconds.
PlanTimes planMs(const Case& c) {
    using Clock = std::chrono::steady_clock;
    using Milliseconds = std::chrono::duration<double, std::milli>;
    PlanTimes best;
    for (int epoch = 0; epoch < c.rounds; ++epoch) {
        const auto start = Clock::now();
        const ShardPlan plan = ShardPlan::make({.datasetSize = c.size, .worldSize = c.world, .epoch = epoch}).value();
        const auto made = Clock::now();
        const std::vector<std::int64_t> indices = plan.indices(0);
        best.plan = std::min(best.plan, Milliseconds(made - start).count());
        best.oneRank = std::min(best.oneRank, Milliseconds(Clock::now() - made).count());
        if (static_cast<std::int64_t>(indices.size()) != plan.samplesPerRank()) std::abort();
    }
    return best;
}

double pythonMs(const Case& c) {
    const std::string command = RINGSIDE_TORCH_PYTHON " " RINGSIDE_BENCH_DIR "/distributed_sampler_time.py " +
                                std::to_string(c.size) + " " + std::to_string(c.world) + " " + std::to_string(c.rounds);
    std::FILE* pipe = ::popen(command.c_str(), "r");
    double ms = 0;
    const bool read = pipe && std::fscanf(pipe, "%lf", &ms) == 1;
    const bool ended = pipe && ::pclose(pipe) == 0;
    return read && ended ? ms : 0;
}

double peakMiB() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::vector<Case> casesFrom(int argc, char** argv) {
    std::vector<Case> cases;
    for (int i = 1; i + 1 < argc; i += 2) cases.push_back({std::atoll(argv[i]), std::atoll(argv[i + 1]), 3});
    if (cases.empty()) cases = {{1281167, 8, 5}, {1281167, 64, 5}, {100000000, 64, 1}};
    return cases;
}

}  // namespace

int main(int argc, char** argv) {
    std::printf("%12s %6s %12s %14s %18s %7s %10s\n", "samples", "ranks", "plan (ms)", "+ rank 0 (ms)",
                "PyTorch rank 0 (ms)", "ratio", "peak (MiB)");
    for (const Case& c : casesFrom(argc, argv)) {
        const PlanTimes ours = planMs(c);
        const double peak = peakMiB();
        const double torch = pythonMs(c);
        std::printf("%12lld %6lld %12.1f %14.1f %18.1f %7.1f %10.0f\n", static_cast<long long>(c.size),
                    static_cast<long long>(c.world), ours.plan, ours.oneRank, torch, torch / (ours.plan + ours.oneRank),
                    peak);
        std::fflush(stdout);
    }
}
