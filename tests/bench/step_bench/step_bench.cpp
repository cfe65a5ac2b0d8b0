// SPDX-License-Identifier: Apache-2.0
// step_bench WORLD_SIZE STEPS [silent | WORKLOAD [THREADS [SETTING=VALUE ...]]]: trains a workload (workload.cpp; by
// default the MLP 64-128-10 with 32 random samples per rank), one process per rank over shared memory, and prints rank
// 0's steps per second and CPU microseconds per step. With `silent`, the trainer reports nothing to telemetry: the
// difference to a run without `silent` is the cost of telemetry.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "comm/communicator_factory.h"
#include "launch/channels/shared_memory.h"
#include "step_bench/workload.h"
#include "train/loop/trainer.h"

using namespace ringside;
using Clock = std::chrono::steady_clock;

namespace {

struct Bench {
    int worldSize = 1;
    std::int64_t steps = 1;
    bool silent = false;
    const Workload* workload = nullptr;
    int threads = 1;  // number of threads of each rank
    RunConfig config = {};

    std::int64_t warmUp() const { return std::max<std::int64_t>(1, steps / 10); }
    std::int64_t stepsPerEpoch() const { return workload->name == "mlp" ? steps : std::min<std::int64_t>(8, steps); }
    std::int64_t samples() const { return config.loader.batchSize * stepsPerEpoch() * config.dataRanks(); }
};

double cpuSeconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Times from the end of a warm-up to the last step.
class TimingObserver final : public TrainerObserver {
  public:
    TimingObserver(TelemetrySink& sink, const Bench& bench) : m_sink(sink), m_bench(bench) {}
    void onStep(const StepRecord& record) override {
        if (!m_bench.silent) m_sink.step(record);
        if (record.step == m_bench.warmUp()) {
            m_begin = Clock::now();
            m_cpuBegin = cpuSeconds();
        }
        if (record.step == m_bench.steps) report();
    }
    void onEvent(Event event) override { m_sink.send(std::move(event)); }
    void onTrace(const StepTrace& trace) override { m_sink.send(trace); }
    void onState(RankStage state) override { m_sink.state(state); }
    std::int64_t nowUs() const override { return m_sink.nowUs(); }
    Progress& progress() override { return m_sink.progress(); }

  private:
    void report() const {
        const auto timed = static_cast<double>(m_bench.steps - m_bench.warmUp());
        const double seconds = std::chrono::duration<double>(Clock::now() - m_begin).count();
        std::printf("%.2f %.2f\n", timed / seconds, (cpuSeconds() - m_cpuBegin) / timed * 1e6);
        std::fflush(stdout);
    }

    TelemetrySink& m_sink;
    Bench m_bench;
    Clock::time_point m_begin;
    double m_cpuBegin = 0;
};

class Silence final : public TrainerObserver {
  public:
    void onStep(const StepRecord&) override {}
    void onEvent(Event) override {}
    void onState(RankStage) override {}
    void onTrace(const StepTrace&) override {}
    std::int64_t nowUs() const override { return 0; }
    Progress& progress() override { return m_progress; }

  private:
    Progress m_progress;
};

class NoControl final : public ControlSource {
  public:
    bool hasCommand() const override { return false; }
    std::vector<ControlCommand> take(std::size_t) override { return {}; }
    bool waitForCommand(std::chrono::microseconds) override { return hasCommand(); }
    bool waitForStop(std::chrono::microseconds) override { return false; }
};

void trainRank(const Bench& bench, int rank, int sharedFd) {
    const DataSplit data = madeUpData(*bench.workload, bench.config, bench.samples());
    const auto communicator = makeSharedMemoryCommunicator(sharedFd, rank, bench.worldSize);
    const auto backend = makeCpuBackend(bench.threads);
    SinkOptions options;
    options.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    options.rank = rank;
    TelemetrySink sink(options);
    TimingObserver timing(sink, bench);
    Silence silence;
    NoControl control;
    TrainerObserver& observer = rank == 0 ? static_cast<TrainerObserver&>(timing) : silence;
    Trainer({bench.config, data, *communicator, *backend, observer, control, {}}).run();
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench;
    if (argc > 1) bench.worldSize = std::max(1, std::atoi(argv[1]));
    bench.steps = argc > 2 ? std::max(10, std::atoi(argv[2])) : 20000;
    const std::string_view variant = argc > 3 ? argv[3] : "";
    bench.silent = variant == "silent";
    bench.workload = findWorkload(variant.empty() || bench.silent ? "mlp" : variant);
    if (!bench.workload) {
        std::fprintf(stderr, "there is no workload %s; there are %s\n", argv[3], workloadNames().c_str());
        return 2;
    }
    const int threads = argc > 4 ? std::atoi(argv[4]) : 0;  // 0: the number of threads that a rank has by default
    bench.threads = threads > 0 ? threads : threadsPerRank(bench.worldSize);
    bench.config = configOf(*bench.workload);
    for (int i = 5; i < argc; ++i) {
        const Problems problems = bench.config.set(argv[i]);
        if (problems.empty()) continue;
        std::fprintf(stderr, "%s\n", problems.front().text().c_str());
        return 2;
    }
    bench.steps -= bench.steps % bench.stepsPerEpoch();
    bench.config.parallel.worldSize = bench.worldSize;
    bench.config.training.epochs = bench.steps / bench.stepsPerEpoch();
    const UniqueFd shared = createSharedMemory(sharedMemoryBytes(bench.worldSize));
    for (int rank = 1; rank < bench.worldSize; ++rank) {
        if (fork() != 0) continue;
        trainRank(bench, rank, shared.get());
        _exit(0);
    }
    trainRank(bench, 0, shared.get());
    while (wait(nullptr) > 0) {
    }
    return 0;
}
