// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/cuda_convolution.h"
#include "backend/cuda/device/device_query.h"
#include "backend/cuda/device/nvml.h"
#include "base/errors/errors.h"
#include "base/json/json.h"
#include "comm/communicator_factory.h"
#include "comm/nccl/nccl_communicator.h"
#include "comm/nccl/nccl_fallback.h"
#include "comm/nccl/staged_communicator.h"
#include "comm/socket_store.h"
#include "devices/gpu_placement.h"
#include "launch/wire/own_addresses.h"
#include "tensor/gpu_runtime.h"
#include "train/devices/pinned_memory.h"
#include "worker_devices.h"

namespace ringside {
namespace {

cuda::Precision precisionOf(const TrainingConfig& training) {
    if (training.precision == TrainingPrecision::kBf16) return cuda::Precision::kBfloat16;
    if (training.precision == TrainingPrecision::kFp16) return cuda::Precision::kFloat16;
    return training.tf32 ? cuda::Precision::kTf32 : cuda::Precision::kFloat32;
}

// True unless the user has disabled CUDA graphs. This is a workaround for versions of NCCL or of the driver that cannot
// record collectives in a graph.
bool recordsSteps() {
    const char* wanted = std::getenv(kGraphsVariable);
    return wanted == nullptr || std::string_view(wanted) != "off";
}

GpuReading readingOf(const cuda::NvmlReading& nvml) {
    GpuReading reading;
    reading.utilisationPercent = nvml.utilisationPercent;
    if (nvml.totalBytes > 0 && nvml.freeBytes >= 0) reading.usedBytes = nvml.totalBytes - nvml.freeBytes;
    reading.totalBytes = nvml.totalBytes;
    reading.celsius = nvml.temperatureCelsius;
    reading.watts = nvml.powerWatts;
    return reading;
}

// Returns the network interface over which other hosts reach this rank: parallel.interface, or, if it is empty, the
// interface that has the address found by the rendezvous. Empty if the interface is not known.
std::string interfaceOf(const RankEnvironment& environment, const RunConfig& config) {
    if (!config.parallel.interface.empty()) return config.parallel.interface;
    for (const OwnAddress& own : ownAddresses())
        if (own.address == environment.address) return own.interface;
    return {};
}

HostRanks hostRanksOf(const RankEnvironment& environment, const RunConfig& config) {
    HostRanks ranks{.runName = environment.runDirectory.filename().string(),
                    .localRank = environment.localRank,
                    .ranksOnHost = environment.ranksOnHost()};
    if (!environment.isOnSeveralHosts()) return ranks;
    ranks.host = environment.hosts[static_cast<std::size_t>(environment.rank)];
    ranks.severalHosts = true;
    ranks.interface = interfaceOf(environment, config);
    return ranks;
}

// Ends this process after a failure if ncclCommAbort() hangs. No destructors run: they would free GPU memory, which
// blocks until the GPU is idle, and the GPU waits for the other ranks.
[[noreturn]] void leaveWithHungGpu(const Error& cause) {
    const std::string text = std::string(cause.what()) + "; NCCL's abort hangs, so the process ends at once\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    _exit(static_cast<int>(cause.exitCode()));
}

// Devices of ringside-worker-cuda: one GPU per rank, connected by NCCL. Ranks share GPUs if the host has fewer GPUs
// than ranks. Behaves as the CPU worker if the experiment's device is the CPU.
class CudaDevices final : public RankDevices {
  public:
    std::unique_ptr<Backend> makeBackend(const RankEnvironment& environment, const RunConfig& config) override {
        if (choiceNamed<DeviceChoice>(environment.device) != DeviceChoice::kCuda)
            return m_cpu->makeBackend(environment, config);
        const std::vector<int> gpus = cuda::usableDevices();
        const GpuPlacement placement = placeRank(hostRanksOf(environment, config), static_cast<int>(gpus.size()));
        m_shared = placement.shared;
        // Sets NCCL's environment variables before the first call of NCCL, while no other thread reads the environment.
        // Keeps a variable that the user has set.
        for (const auto& [name, value] : placement.environment) ::setenv(name.c_str(), value.c_str(), 0);
        CudaOptions options;
        options.device = gpus[static_cast<std::size_t>(placement.gpu)];
        options.label = placement.label;
        if (config.parallel.strategy == StrategyKind::kDataParallel) options.peers = gpus;
        options.precision = precisionOf(config.training);
        options.recordsSteps = recordsSteps();
        options.deadline = 2 * timeoutOf(config);
        auto gpu = std::make_unique<CudaBackend>(options);
        m_uuid = gpu->cudaDevice().uuid();
        return gpu;
    }

    std::function<GpuReading()> gpuReader() override {
        if (m_uuid.empty()) return {};
        auto nvml = std::make_shared<cuda::Nvml>();
        if (!nvml->available()) return {};
        return [nvml, uuid = m_uuid] { return readingOf(nvml->read(uuid)); };
    }

    std::unique_ptr<BatchMemory> batchMemory(const RunConfig& config) override {
        if (m_uuid.empty() || !config.loader.pinMemory) return nullptr;
        return std::make_unique<PinnedMemory>(makeGpuRuntime());
    }

    std::unique_ptr<Communicator> connectToRanks(const RankEnvironment& environment, RankChannels& channels,
                                                 const RunConfig& config, Backend& backend) override {
        if (choiceNamed<DeviceChoice>(environment.device) != DeviceChoice::kCuda)
            return m_cpu->connectToRanks(environment, channels, config, backend);
        auto& gpu = static_cast<CudaBackend&>(backend);  // makeBackend() has created the backend as a CudaBackend
        m_store = std::make_shared<SocketStore>(std::move(channels.store), timeoutOf(config));
        const auto staged = [&] { return joinStaged(environment, config, gpu, m_store); };
        if (choiceNamed<CollectiveBackend>(environment.backend) == CollectiveBackend::kGloo) return staged();
        if (!m_shared) return joinNccl(environment, config, gpu, *m_store);
        // NCCL does not support several ranks on one GPU and can refuse to connect; training then uses Gloo on all
        // ranks. If NCCL refuses another rank, this rank detects it when its own attempt to connect times out.
        std::string whyNot;
        const auto fallBack = [&] {
            std::cerr << "NCCL refused to share a GPU; gradients go through Gloo: " << whyNot << std::endl;
            return staged();
        };
        constexpr NcclDeadlines kDeadlines;
        const NcclAttempt attempt{.rank = environment.rank,
                                  .size = environment.worldSize,
                                  .deadline = kDeadlines.connect + kDeadlines.abort + timeoutOf(config),
                                  .connect = [&] { return joinNccl(environment, config, gpu, *m_store); },
                                  .fallBack = fallBack};
        return connectOrFallBack(*m_store, attempt, whyNot);
    }

  private:
    static std::unique_ptr<Communicator> joinNccl(const RankEnvironment& environment, const RunConfig& config,
                                                  CudaBackend& gpu, Store& store) {
        NcclOptions options;
        options.deadlines.collective = timeoutOf(config);
        options.computeStream = gpu.stream();
        options.hostWaits = false;
        auto communicator = makeNcclCommunicator(store, environment.rank, environment.worldSize, options);
        // Sets the handler that ends the process if NCCL's abort hangs. It is set only after connecting: if the abort
        // of a failed attempt to connect hangs, ranks that share a GPU can still use Gloo.
        communicator->setOnHungAbort(leaveWithHungGpu);
        gpu.setWaitCallback([&nccl = *communicator] { nccl.poll(); });
        return communicator;
    }

    static std::unique_ptr<Communicator> joinStaged(const RankEnvironment& environment, const RunConfig& config,
                                                    CudaBackend& gpu, std::shared_ptr<Store> store) {
        gpu.setWaitCallback({});
        StagedDependencies parts;
        parts.host = makeGlooCommunicator(
            std::move(store), environment.rank, environment.worldSize,
            CommOptions{
                .timeout = timeoutOf(config), .interface = config.parallel.interface, .address = environment.address});
        parts.device = makeGpuRuntime();
        parts.clock = std::make_shared<SteadyClock>();
        return std::make_unique<StagedCommunicator>(std::move(parts), StagedOptions{gpu.stream(), timeoutOf(config)});
    }

    static std::chrono::milliseconds timeoutOf(const RunConfig& config) {
        return std::chrono::milliseconds(std::llround(config.parallel.timeoutSeconds * 1000));
    }

    std::string m_uuid;              // UUID of this rank's GPU; empty on the CPU
    bool m_shared = false;           // true if ranks share GPUs
    std::shared_ptr<Store> m_store;  // key-value store of the rendezvous; kept because NCCL can connect again
    std::unique_ptr<RankDevices> m_cpu = makeCpuDevices();
};

std::string ncclVersion() {
    try {
        return ncclVersionText(makeNcclApi()->version());
    } catch (const CommError&) {
        return {};  // this program was built without NCCL
    }
}

}  // namespace

std::unique_ptr<RankDevices> makeWorkerDevices() {
    return std::make_unique<CudaDevices>();
}

std::optional<int> printDevicesIfAsked(int argc, char** argv) {
    if (argc != 2 || std::string_view(argv[1]) != "--devices") return std::nullopt;
    std::cout << toJson(queryGpus({ncclVersion(), cuda::cudnnVersion()})).dump() << std::endl;
    return std::cout ? 0 : static_cast<int>(ExitCode::kBadConfiguration);
}

}  // namespace ringside
