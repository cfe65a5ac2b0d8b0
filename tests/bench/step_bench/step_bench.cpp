// SPDX-License-Identifier: Apache-2.0
// step_bench WORLD_SIZE STEPS [silent | cnn]: trains the MLP 64-128-10 with 32 random samples per rank (or SimpleCNN
// with 128 images of 3x32x32), one process per rank over shared memory, and prints rank 0's steps per second and CPU
// microseconds per step. With `silent`, nothing is handed to telemetry: the difference is what telemetry costs.
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
#include "data/sets/memory_dataset.h"
#include "launch/shared_memory.h"
#include "sampling/torch_random.h"
#include "train/trainer.h"

using namespace ringside;
using Clock = std::chrono::steady_clock;

namespace {

struct Bench {
    int worldSize = 1;
    std::int64_t steps = 1;
    bool silent = false;
    bool cnn = false;

    std::int64_t batch() const { return cnn ? 128 : 32; }
    std::int64_t stepsPerEpoch() const { return cnn ? std::min<std::int64_t>(8, steps) : steps; }
};

DataSplit randomSamples(const Bench& bench) {
    SampleTable table;
    const std::int64_t size = table.size = bench.batch() * bench.stepsPerEpoch() * bench.worldSize;
    table.shape.features = 64;
    if (bench.cnn) table.shape = {3, 32, 32, 3 * 32 * 32};
    table.features.resize(static_cast<std::size_t>(size * table.shape.features));
    TorchGenerator generator(0);
    generator.uniform(table.features, 0, 1);
    for (std::int64_t i = 0; i < size; ++i) table.labels.push_back(static_cast<std::int32_t>(generator.randint(0, 10)));
    for (int label = 0; label < 10; ++label) table.classNames.push_back(std::to_string(label));
    return {std::make_shared<MemoryDataset>(std::move(table)), nullptr, {}};
}

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
        if (record.step == m_bench.steps / 10) {
            m_begin = Clock::now();
            m_cpuBegin = cpuSeconds();
        }
        if (record.step == m_bench.steps) report();
    }
    void onEvent(Event event) override { m_sink.send(std::move(event)); }
    void onTrace(const StepTrace& trace) override { m_sink.send(trace); }
    void onState(const std::string& state) override { m_sink.state(state); }
    std::int64_t nowUs() const override { return m_sink.nowUs(); }
    Progress& progress() override { return m_sink.progress(); }

  private:
    void report() const {
        const auto timed = static_cast<double>(m_bench.steps - m_bench.steps / 10);
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
    void onState(const std::string&) override {}
    void onTrace(const StepTrace&) override {}
    std::int64_t nowUs() const override { return 0; }
    Progress& progress() override { return m_progress; }

  private:
    Progress m_progress;
};

class NoControl final : public ControlSource {
  public:
    bool pending() const override { return false; }
    std::vector<ControlCommand> take(std::size_t) override { return {}; }
    bool waitPending(std::chrono::microseconds) override { return pending(); }
};

void trainRank(const Bench& bench, int rank, int sharedFd) {
    RunConfig config;
    config.parallel.worldSize = bench.worldSize;
    config.training.epochs = bench.steps / bench.stepsPerEpoch();
    config.loader.batchSize = bench.batch();
    if (bench.cnn) config.model.kind = "simple_cnn";
    config.optimizer.lr = 0.01;
    const DataSplit data = randomSamples(bench);
    const auto communicator = makeSharedMemoryCommunicator(sharedFd, rank, bench.worldSize);
    const auto backend = makeCpuBackend(threadsPerRank(bench.worldSize));
    SinkOptions options;
    options.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    options.rank = rank;
    TelemetrySink sink(options);
    TimingObserver timing(sink, bench);
    Silence silence;
    NoControl control;
    TrainerObserver& observer = rank == 0 ? static_cast<TrainerObserver&>(timing) : silence;
    Trainer({config, data, *communicator, *backend, observer, control, {}}).run();
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench;
    if (argc > 1) bench.worldSize = std::max(1, std::atoi(argv[1]));
    bench.steps = argc > 2 ? std::max(10, std::atoi(argv[2])) : 20000;
    const std::string_view variant = argc > 3 ? argv[3] : "";
    bench.silent = variant == "silent";
    bench.cnn = variant == "cnn";
    bench.steps -= bench.steps % bench.stepsPerEpoch();
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
