// SPDX-License-Identifier: Apache-2.0
#include "train/loop/rank_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/json/json.h"
#include "base/processors/processors.h"
#include "comm/throttle/throttled_communicator.h"
#include "config/run_config.h"
#include "data/sets/common/dataset.h"
#include "train/devices/gpu_watch.h"
#include "train/devices/rank_cpus.h"
#include "train/interfaces/training_error.h"
#include "train/loop/trainer.h"
#include "train/observe/index_report.h"

namespace ringside {

namespace {

SampleReport reportSamples() {
    const char* const when = std::getenv(kReportSamplesVariable);
    return choiceNamed<SampleReport>(when == nullptr ? "" : when).value_or(SampleReport::kAuto);
}

// Lets heartbeats report the number of the current collective. Must be destroyed before the communicator.
class CollectiveWatch {
  public:
    CollectiveWatch(TelemetrySink& sink, const Communicator& communicator) : m_sink(sink) {
        sink.watchCollective([&communicator] { return communicator.collectiveNumber(); });
    }
    ~CollectiveWatch() { m_sink.watchCollective({}); }
    CollectiveWatch(const CollectiveWatch&) = delete;
    CollectiveWatch& operator=(const CollectiveWatch&) = delete;

  private:
    TelemetrySink& m_sink;
};

// Lets the heartbeat thread read the trace of the current step. Must be destroyed before the trainer.
class StepWatch {
  public:
    StepWatch(TelemetrySink& sink, const Trainer& trainer) : m_sink(sink) {
        sink.watchStep([&trainer] { return trainer.unfinishedTrace(); });
    }
    ~StepWatch() { m_sink.watchStep({}); }
    StepWatch(const StepWatch&) = delete;
    StepWatch& operator=(const StepWatch&) = delete;

  private:
    TelemetrySink& m_sink;
};

// Reads the state of the GPU in its own thread, and lets heartbeats report the latest values.
class GpuHeartbeat {
  public:
    GpuHeartbeat(TelemetrySink& sink, std::function<GpuReading()> read) : m_sink(sink) {
        if (!read) return;
        m_watch.emplace(std::move(read));
        sink.watchGpu([this] { return m_watch->latest(); });
    }
    ~GpuHeartbeat() { m_sink.watchGpu({}); }
    GpuHeartbeat(const GpuHeartbeat&) = delete;
    GpuHeartbeat& operator=(const GpuHeartbeat&) = delete;

  private:
    TelemetrySink& m_sink;
    std::optional<GpuWatch> m_watch;
};

std::unique_ptr<Communicator> throttled(std::unique_ptr<Communicator> links, const ThrottleConfig& throttle) {
    const LinkThrottle link{throttle.gbitPerSecond, throttle.latencyUs};
    if (!link.isActive() || links->size() == 1) return links;
    return std::make_unique<ThrottledCommunicator>(std::move(links), link);
}

// Forwards the trainer's events to the rank's telemetry, after calling the hooks of a test.
class RankObserver final : public TrainerObserver {
  public:
    RankObserver(TelemetrySink& sink, RankHooks* hooks) : m_sink(sink), m_hooks(hooks) {}
    void onStep(const StepRecord& record) override {
        if (m_hooks != nullptr) m_hooks->onStep(record.step);
        m_sink.step(record);
    }
    void onEvent(Event event) override { m_sink.send(std::move(event)); }
    void onState(RankStage state) override {
        if (m_hooks != nullptr) m_hooks->onState(state);
        m_sink.state(state);
    }
    void onTrace(const StepTrace& trace) override { m_sink.send(trace); }
    std::int64_t nowUs() const override { return m_sink.nowUs(); }
    std::int64_t startNs() const override { return m_sink.startNs(); }
    Progress& progress() override { return m_sink.progress(); }
    void flush() override { m_sink.flush(std::chrono::seconds(1)); }

  private:
    TelemetrySink& m_sink;
    RankHooks* m_hooks;
};

// Reports the final state, and blocks until the supervisor has confirmed that it received the report: a run counts as
// finished only if every rank has reported its end. Throws CommError if there is no confirmation within the timeout,
// which is at least 30 s.
void reportFinalState(TrainerObserver& observer, TelemetrySink& sink, TrainOutcome outcome, double timeoutSeconds) {
    const std::chrono::seconds patience{std::max<std::int64_t>(30, std::llround(timeoutSeconds))};
    observer.onState(outcome == TrainOutcome::kStopped ? RankStage::kStopped : RankStage::kFinished);
    if (!sink.flush(patience)) {
        throw CommError("the last messages of this rank did not reach the supervisor within " +
                        std::to_string(patience.count()) +
                        " s, so the supervisor received no report that this rank has finished");
    }
}

}  // namespace

RunConfig readRankConfig(const RankEnvironment& environment) {
    const auto path = environment.runDirectory / "config.json";
    RunConfig config = valueOrThrow(RunConfig::fromJson(valueOrThrow(readJsonFile(path))));
    const Problems problems = config.validateForTraining();
    if (!problems.empty()) throw TrainingError(problems.front());
    if (config.parallel.worldSize != environment.worldSize)
        throw TrainingError(path.string() + " sets parallel.world_size to " +
                            std::to_string(config.parallel.worldSize) + ", but this rank was started as one of " +
                            std::to_string(environment.worldSize) + ": start the run with ringsidectl run");
    return config;
}

SinkOptions sinkOptionsOf(const RankEnvironment& environment, const RankChannels& channels) {
    SinkOptions options;
    options.fd = channels.telemetry.get();
    options.rank = environment.rank;
    options.runStartUs = environment.runStartUs;
    options.onlyWhereIdle = environment.ranksOnHost() > usableProcessors();
    return options;
}

ExitCode runRank(const RankEnvironment& environment, const RunConfig& config, RankChannels& channels,
                 TelemetrySink& sink, ControlSource& control, RankDevices& devices, RankHooks* hooks) {
    sink.state(RankStage::kLoading);
    RankCpus cpus(environment, config, channels);
    // On a rank that joined a classroom, relative paths start at the working directory, which contains the run's data.
    const std::filesystem::path base = environment.isGuest ? std::filesystem::path() : environment.runDirectory;
    const DataSplit data = valueOrThrow(loadDataset(config.dataset, base));

    RankObserver observer(sink, hooks);
    observer.onState(RankStage::kConnecting);
    const std::unique_ptr<Backend> backend = devices.makeBackend(environment, config);
    sink.state(RankStage::kConnecting, backend->name());
    const GpuHeartbeat gpu(sink, devices.gpuReader());
    cpus.computeShare();
    const std::unique_ptr<BatchMemory> batchMemory = devices.batchMemory(config);
    const std::unique_ptr<Communicator> communicator =
        throttled(devices.connectToRanks(environment, channels, config, *backend), config.parallel.throttle);
    RankState joined{environment.rank, RankStage::kConnecting, {}, 0, sink.nowUs()};
    joined.isa = backend->instructionSet();
    joined.transport = communicator->name();
    joined.hosts = communicator->hosts();
    sink.send(joined);
    // Pins the threads last, because thread counts and ways of waiting must be chosen from all CPUs of the host and not
    // from this rank's share.
    if (const std::string kept = cpus.pinThreads(); !kept.empty()) sink.log(LogLevel::kInfo, kept);
    const CollectiveWatch watch(sink, *communicator);
    if (const std::int64_t refused = communicator->refusedConnections(); refused > 0)
        sink.log(LogLevel::kWarning,
                 "refused during the rendezvous: " + std::to_string(refused) +
                     (refused == 1 ? " connection from outside the run" : " connections from outside the run"));

    const std::optional<WrongIndex> wrongIndex = hooks != nullptr ? hooks->wrongIndex() : std::nullopt;
    Trainer trainer({config, data, *communicator, *backend, observer, control, environment.runDirectory,
                     batchMemory.get(), wrongIndex, reportSamples()});
    const StepWatch stepWatch(sink, trainer);
    const TrainOutcome outcome = trainer.run();
    reportFinalState(observer, sink, outcome, config.parallel.timeoutSeconds);
    return outcome == TrainOutcome::kStopped ? ExitCode::kStopped : ExitCode::kOk;
}

}  // namespace ringside
