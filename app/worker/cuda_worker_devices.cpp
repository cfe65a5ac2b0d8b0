// SPDX-License-Identifier: Apache-2.0
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

// The way out should NCCL or a driver break by being recorded.
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

// One GPU per rank while there are enough, NCCL between them. On the CPU this worker is the ordinary one.
class CudaDevices final : public RankDevices {
  public:
    std::unique_ptr<Backend> makeBackend(const RankEnvironment& environment, const RunConfig& config) override {
        if (choiceNamed<DeviceChoice>(environment.device) != DeviceChoice::kCuda)
            return m_cpu->makeBackend(environment, config);
        const std::vector<int> gpus = cuda::usableDevices();
        const GpuPlacement placement = placeRank(environment.runDirectory.filename().string(), environment.localRank,
                                                 environment.worldSize, static_cast<int>(gpus.size()));
        m_shared = placement.shared;
        // Before NCCL's first call; our other threads read no environment. What the user has set stays.
        for (const auto& [name, value] : placement.environment) ::setenv(name.c_str(), value.c_str(), 0);
        CudaOptions options;
        options.device = gpus[static_cast<std::size_t>(placement.gpu)];
        options.label = placement.label;
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

    std::unique_ptr<Communicator> join(const RankEnvironment& environment, RankChannels& channels,
                                       const RunConfig& config, Backend& backend) override {
        if (choiceNamed<DeviceChoice>(environment.device) != DeviceChoice::kCuda)
            return m_cpu->join(environment, channels, config, backend);
        auto& gpu = static_cast<CudaBackend&>(backend);  // makeBackend() made it
        m_store = std::make_shared<SocketStore>(std::move(channels.store), timeoutOf(config));
        const auto staged = [&] { return joinStaged(environment, config, gpu, m_store); };
        if (choiceNamed<CollectiveBackend>(environment.backend) == CollectiveBackend::kGloo) return staged();
        if (!m_shared) return joinNccl(environment, config, gpu, *m_store);
        // What NVIDIA does not support may be refused; teaching goes on without NCCL then. A rank whose peer was
        // refused finds out when it gives up connecting itself.
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
        gpu.whileWaiting([&nccl = *communicator] { nccl.poll(); });
        return communicator;
    }

    static std::unique_ptr<Communicator> joinStaged(const RankEnvironment& environment, const RunConfig& config,
                                                    CudaBackend& gpu, std::shared_ptr<Store> store) {
        gpu.whileWaiting({});
        StagedParts parts;
        parts.host = makeGlooCommunicator(std::move(store), environment.rank, environment.worldSize,
                                          CommOptions{.timeout = timeoutOf(config), .address = environment.address});
        parts.device = makeGpuRuntime();
        parts.clock = std::make_shared<SteadyClock>();
        return std::make_unique<StagedCommunicator>(std::move(parts), StagedOptions{gpu.stream(), timeoutOf(config)});
    }

    static std::chrono::milliseconds timeoutOf(const RunConfig& config) {
        return std::chrono::milliseconds(std::llround(config.parallel.timeoutSeconds * 1000));
    }

    std::string m_uuid;              // of this rank's GPU
    bool m_shared = false;           // several ranks on a GPU
    std::shared_ptr<Store> m_store;  // NCCL may connect once more
    std::unique_ptr<RankDevices> m_cpu = makeCpuDevices();
};

std::string ncclVersion() {
    try {
        return ncclVersionText(makeNcclApi()->version());
    } catch (const CommError&) {
        return {};  // a build without
    }
}

}  // namespace

std::unique_ptr<RankDevices> makeWorkerDevices() {
    return std::make_unique<CudaDevices>();
}

std::optional<int> answerDevices(int argc, char** argv) {
    if (argc != 2 || std::string_view(argv[1]) != "--devices") return std::nullopt;
    std::cout << toJson(queryGpus({ncclVersion(), cuda::cudnnVersion()})).dump() << std::endl;
    return std::cout ? 0 : static_cast<int>(ExitCode::kBadConfiguration);
}

}  // namespace ringside
