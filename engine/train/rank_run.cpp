// SPDX-License-Identifier: Apache-2.0
#include "train/rank_run.h"

#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "backend/backend.h"
#include "base/json.h"
#include "comm/communicator_factory.h"
#include "comm/socket_store.h"
#include "config/run_config.h"
#include "data/dataset.h"
#include "train/trainer.h"
#include "train/training_error.h"

namespace ringside {

namespace {

RunConfig readConfig(const RankEnvironment& environment) {
    const auto path = environment.runDirectory / "config.json";
    RunConfig config = valueOrThrow(RunConfig::fromJson(valueOrThrow(readJsonFile(path))));
    const Problems problems = config.validateForTraining();
    if (!problems.empty()) throw TrainingError(problems.front());
    if (config.parallel.worldSize != environment.worldSize)
        throw TrainingError(path.string() + " says parallel.world_size is " +
                            std::to_string(config.parallel.worldSize) + ", but this rank was started as one of " +
                            std::to_string(environment.worldSize) + ": start the run with ringsidectl run");
    return config;
}

std::unique_ptr<Communicator> joinByGloo(const RankEnvironment& environment, const CommOptions& options) {
    auto store = std::make_shared<SocketStore>(UniqueFd(RankEnvironment::kStoreFd), options.timeout);
    return makeGlooCommunicator(std::move(store), environment.rank, environment.worldSize, options);
}

std::unique_ptr<Communicator> join(const RankEnvironment& environment, const RunConfig& config) {
    const CommOptions options{std::chrono::milliseconds(std::llround(config.parallel.timeoutSeconds * 1000))};
    if (environment.backend == "shm")
        return makeSharedMemoryCommunicator(RankEnvironment::kSharedFd, environment.rank, environment.worldSize,
                                            options);
    if (environment.backend == "gloo") return joinByGloo(environment, options);
    throw TrainingError("parallel.backend is \"" + environment.backend +
                        "\"; this worker knows shm and gloo: choose one of them or auto");
}

std::unique_ptr<Backend> deviceFor(const RankEnvironment& environment) {
    if (environment.device != "cpu")
        throw TrainingError("parallel.device is \"" + environment.device +
                            "\"; this worker computes on cpu: choose it or auto");
    return makeCpuBackend(threadsPerRank(environment.worldSize));
}

// Heartbeats read the collective's number from the communicator, which must not go first.
class CollectiveWatch {
  public:
    CollectiveWatch(TelemetrySink& sink, const Communicator& communicator) : m_sink(sink) {
        sink.watchCollective([&communicator] { return communicator.collective(); });
    }
    ~CollectiveWatch() { m_sink.watchCollective({}); }
    CollectiveWatch(const CollectiveWatch&) = delete;
    CollectiveWatch& operator=(const CollectiveWatch&) = delete;

  private:
    TelemetrySink& m_sink;
};

}  // namespace

ExitCode runRank(const RankEnvironment& environment, TelemetrySink& sink, const ControlSource& control) {
    const RunConfig config = readConfig(environment);
    sink.state("loading");
    const DataSplit data = valueOrThrow(loadDataset(config.dataset, environment.runDirectory));

    sink.state("connecting");
    const std::unique_ptr<Communicator> communicator = join(environment, config);
    const CollectiveWatch watch(sink, *communicator);
    const std::unique_ptr<Backend> backend = deviceFor(environment);
    sink.state("connecting", backend->name());

    SinkObserver observer(sink);
    Trainer trainer({config, data, *communicator, *backend, observer, control, environment.runDirectory});
    const TrainOutcome outcome = trainer.run();
    sink.state("finished");
    return outcome == TrainOutcome::kStopped ? ExitCode::kStopped : ExitCode::kOk;
}

}  // namespace ringside
