// SPDX-License-Identifier: Apache-2.0
// Worker with one rank on the CPU, like ringside-worker. It alternates between kWindow epochs in which it reports its
// steps to telemetry and kWindow epochs in which it does not. With RINGSIDE_BENCH=trace it reports all steps and
// alternates tracing instead. Rank 0 logs the step rate of each window, see telemetry_bench.py.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>

#include "arguments.h"
#include "base/json/json.h"
#include "base/processors/processors.h"
#include "data/sets/common/dataset.h"
#include "train/control/control_input.h"
#include "train/devices/rank_devices.h"
#include "train/interfaces/training_error.h"
#include "train/loop/rank_run.h"
#include "train/loop/trainer.h"

using namespace ringside;

namespace {

constexpr std::int64_t kWindow = 60;    // number of epochs of a window
constexpr std::int64_t kSettling = 12;  // number of epochs at the start of a window that are not measured, because the
                                        // last frames of the previous window are still being sent

// Switches training.log_every between 1 and the largest number, at the same epochs on every rank.
class Alternation final : public TrainerObserver {
  public:
    Alternation(TelemetrySink& sink, RunConfig& config, int rank)
        : m_sink(sink), m_config(config), m_rank(rank), m_observer(sink) {}

    void onStep(const StepRecord& record) override { m_observer.onStep(record); }
    void onEvent(Event event) override { m_observer.onEvent(std::move(event)); }
    void onTrace(const StepTrace& trace) override { m_observer.onTrace(trace); }
    void onState(RankStage state) override {
        if (state == RankStage::kTraining) beginEpoch();
        m_observer.onState(state);
    }
    std::int64_t nowUs() const override { return m_observer.nowUs(); }
    Progress& progress() override { return m_observer.progress(); }
    std::int64_t startNs() const override { return m_sink.startNs(); }
    void alternate(StepTracer& tracer) { m_tracer = &tracer; }

  private:
    void beginEpoch() {
        const std::int64_t inWindow = m_epoch % kWindow;
        if (inWindow == 0 && m_epoch > 0) logWindow();
        const bool reported = isReported(m_epoch / kWindow);
        if (inWindow == 0 && m_tracer != nullptr) m_tracer->setSuspended(!reported);
        if (inWindow == 0 && m_tracer == nullptr)
            m_config.training.logEvery = reported ? 1 : std::numeric_limits<std::int64_t>::max();
        if (inWindow == kSettling) {
            m_fromUs = nowUs();
            m_fromStep = progress().step.load();
            m_fromCpuNs = threadCpuNs();
        }
        ++m_epoch;
    }

    void logWindow() {
        if (m_rank != 0) return;
        const double seconds = static_cast<double>(nowUs() - m_fromUs) / 1e6;
        const double rate = static_cast<double>(progress().step.load() - m_fromStep) / seconds;
        // The rate per second of CPU time is logged too: other programs on a busy machine lengthen the steps, but not
        // the CPU time of the training thread.
        const auto steps = static_cast<double>(progress().step.load() - m_fromStep);
        const double perSecond = 1e9 * steps / static_cast<double>(threadCpuNs() - m_fromCpuNs);
        m_sink.log(LogLevel::kInfo,
                   std::string(isReported(m_epoch / kWindow - 1) ? "reported-processor " : "silent-processor ") +
                       std::to_string(perSecond));
        m_sink.log(LogLevel::kInfo,
                   (isReported(m_epoch / kWindow - 1) ? "reported " : "silent ") + std::to_string(rate));
    }

    static bool isReported(std::int64_t window) { return window % 2 == 0; }

    TelemetrySink& m_sink;
    RunConfig& m_config;
    const int m_rank;
    StepTracer* m_tracer = nullptr;  // tracer that is switched; null if the reporting of steps is switched instead
    SinkObserver m_observer;
    std::int64_t m_epoch = 0;
    std::int64_t m_fromUs = 0;
    std::int64_t m_fromStep = 0;
    std::int64_t m_fromCpuNs = 0;
};

void train(const RankEnvironment& environment, RankChannels& channels, TelemetrySink& sink, ControlSource& control) {
    RunConfig config =
        valueOrThrow(RunConfig::fromJson(valueOrThrow(readJsonFile(environment.runDirectory / "config.json"))));
    const DataSplit data = valueOrThrow(loadDataset(config.dataset, environment.runDirectory));
    const std::unique_ptr<RankDevices> devices = makeCpuDevices();
    const std::unique_ptr<Backend> backend = devices->makeBackend(environment, config);
    const std::unique_ptr<Communicator> communicator = devices->connectToRanks(environment, channels, config, *backend);
    Alternation observer(sink, config, environment.rank);
    Trainer trainer({config, data, *communicator, *backend, observer, control, environment.runDirectory});
    const char* const what = std::getenv("RINGSIDE_BENCH");
    if (what != nullptr && std::string_view(what) == "trace") observer.alternate(trainer.tracer());
    trainer.run();
    sink.state(RankStage::kFinished);
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    lowerPriority();
    try {
        RankChannels channels = RankChannels::fromSupervisor();
        const RankEnvironment environment = valueOrThrow(parseArguments(argc, argv, channels));
        TelemetrySink sink(sinkOptionsOf(environment, channels));
        ControlInput control(channels.control.get(), [] { _exit(1); });
        train(environment, channels, sink, control);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
