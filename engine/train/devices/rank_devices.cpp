// SPDX-License-Identifier: Apache-2.0
#include "train/devices/rank_devices.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "comm/communicator_factory.h"
#include "comm/socket_store.h"
#include "train/interfaces/training_error.h"

namespace ringside {

namespace {

std::unique_ptr<Communicator> joinByGloo(const RankEnvironment& environment, RankChannels& channels,
                                         const CommOptions& options) {
    auto store = std::make_shared<SocketStore>(std::move(channels.store), options.timeout);
    if (environment.ranksOnHost() < environment.worldSize)
        return makeHierarchicalCommunicator(std::move(store), channels.shared.get(), environment.rank,
                                            environment.worldSize, options);
    return makeGlooCommunicator(std::move(store), environment.rank, environment.worldSize, options);
}

std::unique_ptr<Communicator> joinByMpi(const RankEnvironment& environment, RankChannels& channels,
                                        const CommOptions& options) {
    std::shared_ptr<Store> store;
    if (channels.store) store = std::make_shared<SocketStore>(std::move(channels.store), options.timeout);
    return makeMpiCommunicator(std::move(store), environment.rank, environment.worldSize, options);
}

class CpuDevices final : public RankDevices {
  public:
    std::unique_ptr<Backend> makeBackend(const RankEnvironment& environment, const RunConfig& config) override {
        if (config.training.precision != TrainingPrecision::kFp32)
            throw TrainingError("training.precision is " + textOf(config.training.precision) +
                                ", which the CPU does not support: set it to fp32");
        if (choiceNamed<DeviceChoice>(environment.device) != DeviceChoice::kCpu)
            throw TrainingError("parallel.device is \"" + environment.device +
                                "\"; this worker supports only cpu: choose cpu or auto");
        const int chosen = static_cast<int>(config.parallel.threadsPerRank);
        const int threads = chosen > 0 ? chosen : threadsPerRank(environment.ranksOnHost());
        return makeCpuBackend(threads, config.training.winograd);
    }

    std::unique_ptr<Communicator> connectToRanks(const RankEnvironment& environment, RankChannels& channels,
                                                 const RunConfig& config, Backend&) override {
        const CommOptions options{
            .timeout = std::chrono::milliseconds(std::llround(config.parallel.timeoutSeconds * 1000)),
            .interface = config.parallel.interface,
            .address = environment.address};
        const auto backend = choiceNamed<CollectiveBackend>(environment.backend);
        if (backend == CollectiveBackend::kShm)
            return makeSharedMemoryCommunicator(channels.shared.get(), environment.rank, environment.worldSize,
                                                options);
        if (backend == CollectiveBackend::kGloo) return joinByGloo(environment, channels, options);
        if (backend == CollectiveBackend::kMpi) return joinByMpi(environment, channels, options);
        throw TrainingError("parallel.backend is \"" + environment.backend +
                            "\"; this worker supports shm, gloo and mpi: choose one of them or auto");
    }
};

}  // namespace

std::unique_ptr<RankDevices> makeCpuDevices() {
    return std::make_unique<CpuDevices>();
}

}  // namespace ringside
