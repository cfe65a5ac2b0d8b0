// SPDX-License-Identifier: Apache-2.0
#include "devices/compute_choice.h"

#include "base/text/number_text.h"
#include "config/leaves.h"
#include "config/mesh.h"
#include "devices/gpu_placement.h"
#include "model/layer_list.h"

namespace ringside {
namespace {

bool convolves(const ModelConfig& model) {
    switch (model.kind) {
        case ModelKind::kLayers:
            return listsLayer(model, LayerKind::kConv2d);
        case ModelKind::kSimpleCnn:
        case ModelKind::kResidualCnn:
            return true;
        case ModelKind::kToyLinear:
        case ModelKind::kMlp:
        case ModelKind::kTransformer:
            break;
    }
    return false;
}

bool isNarrow(const TrainingConfig& training) {
    return training.precision != TrainingPrecision::kFp32;
}

bool connectsCpusOnly(CollectiveBackend backend) {
    return backend == CollectiveBackend::kShm || backend == CollectiveBackend::kMpi;
}

// Returns the number of GPUs that the experiment needs if no two ranks share a GPU: one for each rank, or, with the
// strategy data_parallel, one for each of its devices.
std::int64_t gpusWanted(const RunConfig& config) {
    return withProcessesAsRanks(config).parallel.worldSize * devicesOf(config);
}

std::string unitOf(const RunConfig& config) {
    return config.parallel.strategy == StrategyKind::kDataParallel ? "device" : "rank";
}

// Returns the reason why the GPUs cannot carry out the experiment; empty if they can.
std::string whyNotGpus(const RunConfig& config, const GpuReport& gpus) {
    const int count = gpus.usableCount();
    if (count == 0) return gpus.why;
    if (convolves(config.model) && gpus.cudnn.empty())
        return "the model has convolutions, and ringside-worker-cuda was built without cuDNN";
    const std::int64_t wanted = gpusWanted(config);
    if (wanted <= count || config.parallel.shareGpu) return {};
    return counted(wanted, unitOf(config)) + " and " + counted(count, "usable GPU") + "; parallel.share_gpu lets " +
           unitOf(config) + "s share a GPU";
}

// Returns the reason why the experiment needs CPUs: a setting that is supported only on CPUs. Empty if there is none.
std::string whyCpuOnly(const RunConfig& config) {
    if (config.parallel.throttle.any()) return "parallel.pace throttles only ranks that compute on CPUs";
    if (config.parallel.strategy == StrategyKind::kDataParallel && isCanonical(config))
        return "data_parallel supports training.reduction canonical only on CPUs";
    if (config.fsdp.cpuOffload && config.parallel.strategy != StrategyKind::kDdp)
        return "fsdp.cpu_offload is supported only on CPUs for now";
    return {};
}

std::string whyCpu(const RunConfig& config, const GpuReport& gpus) {
    if (const std::string why = whyCpuOnly(config); gpus.usableCount() > 0 && !why.empty()) return "CPU: " + why;
    if (gpus.usableCount() > 0 && connectsCpusOnly(config.parallel.backend))
        return "CPU: parallel.backend is " + textOf(config.parallel.backend) + ", which connects ranks on CPUs";
    return "CPU: " + whyNotGpus(config, gpus);
}

std::string whyCuda(const RunConfig& config, const GpuReport& gpus) {
    const int count = gpus.usableCount();
    if (count == 0) return "GPU: chosen in the experiment";
    const GpuPlacement placement = placeRank({.ranksOnHost = static_cast<int>(gpusWanted(config))}, count);
    const std::string where = counted(gpusWanted(config), unitOf(config)) + " on " + counted(count, "GPU");
    if (placement.shared) return where + ", " + placement.label;
    return where + (config.parallel.device == DeviceChoice::kCuda ? ": chosen in the experiment"
                                                                  : ": one GPU for each " + unitOf(config));
}

void chooseBackend(const RunConfig& config, const GpuReport& gpus, ComputeChoice& choice) {
    choice.backend = config.parallel.backend;
    choice.whyBackend = textOf(config.parallel.backend) + ": chosen in the experiment";
    if (config.parallel.backend != CollectiveBackend::kAuto) return;
    if (choice.device != DeviceChoice::kCuda) {
        choice.backend = CollectiveBackend::kShm;
        choice.whyBackend = "shared memory: all ranks are on this host";
    } else if (gpus.nccl.empty() && gpus.usableCount() > 0) {
        choice.backend = CollectiveBackend::kGloo;
        choice.whyBackend = "Gloo through host memory: ringside-worker-cuda was built without NCCL";
    } else {
        choice.backend = CollectiveBackend::kNccl;
        choice.whyBackend = "NCCL: the ranks compute on GPUs";
    }
}

Problem refusalOfGpus(const RunConfig& config, const GpuReport& gpus) {
    const std::string why = whyNotGpus(config, gpus);
    if (gpus.usableCount() == 0)
        return {"parallel.device", "is cuda, but no GPU can be used: " + why, "set parallel.device to auto or cpu"};
    if (convolves(config.model) && gpus.cudnn.empty())
        return {"parallel.device", "is cuda, but " + why,
                "install cuDNN 9 and build again, or set parallel.device to cpu"};
    const bool hasDevices = config.parallel.strategy == StrategyKind::kDataParallel && config.parallel.devices > 0;
    return {hasDevices ? "parallel.devices" : "parallel.world_size",
            "is " + std::to_string(gpusWanted(config)) + ", but there " + (gpus.usableCount() == 1 ? "is" : "are") +
                " only " + counted(gpus.usableCount(), "usable GPU") + " and parallel.share_gpu is off",
            "lower the number to " + std::to_string(gpus.usableCount()) + ", switch parallel.share_gpu on (" +
                kSharedGpuLabel + "), or set parallel.device to cpu"};
}

}  // namespace

ComputeChoice chooseCompute(const RunConfig& config, const HostDevices& host) {
    const bool wantsBest = config.parallel.device == DeviceChoice::kAuto;
    const bool possible = whyNotGpus(config, host.gpus).empty() && !connectsCpusOnly(config.parallel.backend);
    const bool cuda =
        wantsBest ? possible && whyCpuOnly(config).empty() : config.parallel.device == DeviceChoice::kCuda;
    ComputeChoice choice;
    choice.device = cuda ? DeviceChoice::kCuda : DeviceChoice::kCpu;
    if (cuda)
        choice.whyDevice = whyCuda(config, host.gpus);
    else
        choice.whyDevice = wantsBest ? whyCpu(config, host.gpus) : "CPU: chosen in the experiment";
    if (!cuda) choice.cpuSetting = host.cpuSetting;
    chooseBackend(config, host.gpus, choice);
    return choice;
}

Problems checkCompute(const RunConfig& config, const HostDevices& host) {
    const ParallelConfig& parallel = config.parallel;
    const ComputeChoice choice = chooseCompute(config, host);
    if (parallel.device == DeviceChoice::kCuda && !whyNotGpus(config, host.gpus).empty())
        return {refusalOfGpus(config, host.gpus)};
    if (choice.device == DeviceChoice::kCuda && connectsCpusOnly(parallel.backend))
        return {{"parallel.backend",
                 "is " + textOf(parallel.backend) + ", but ranks on GPUs communicate over NCCL or Gloo",
                 "set parallel.backend to auto, or parallel.device to cpu"}};
    if (choice.device == DeviceChoice::kCuda && parallel.backend == CollectiveBackend::kNccl && host.gpus.nccl.empty())
        return {{"parallel.backend", "is nccl, but ringside-worker-cuda was built without NCCL",
                 "install libnccl-dev and build again, or set parallel.backend to gloo"}};
    if (choice.device == DeviceChoice::kCpu && parallel.backend == CollectiveBackend::kNccl)
        return {{"parallel.backend", "is nccl, which works only between GPUs (" + choice.whyDevice + ")",
                 parallel.device == DeviceChoice::kAuto ? "set parallel.backend to auto"
                                                        : "set parallel.device to cuda, or parallel.backend to auto"}};
    if (choice.device == DeviceChoice::kCpu && isNarrow(config.training))
        return {{"training.precision",
                 "is " + textOf(config.training.precision) + ", which needs GPUs (" + choice.whyDevice + ")",
                 "set training.precision to fp32"}};
    return {};
}

}  // namespace ringside
