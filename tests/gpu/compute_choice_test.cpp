// SPDX-License-Identifier: Apache-2.0
#include "devices/compute_choice.h"

#include "base/json/json.h"
#include "support/catch.h"
#include "support/choices.h"

using namespace ringside;

namespace {

HostDevices hostWith(int gpus) {
    HostDevices host;
    host.gpus = reportWithoutGpus("no driver");
    if (gpus == 0) return host;
    host.gpus.why.clear();
    host.gpus.nccl = "2.28.9";
    host.gpus.cudnn = "9.19.0";
    for (int index = 0; index < gpus; ++index) {
        GpuInfo gpu;
        gpu.index = index;
        host.gpus.gpus.push_back(gpu);
    }
    return host;
}

RunConfig configWith(const std::string& device, const std::string& backend, std::int64_t worldSize = 4) {
    RunConfig config;
    choose(config.parallel.device, device);
    choose(config.parallel.backend, backend);
    config.parallel.worldSize = worldSize;
    return config;
}

RunConfig sharing(RunConfig config) {
    config.parallel.shareGpu = true;
    return config;
}

std::string refusal(const RunConfig& config, const HostDevices& host) {
    const Problems problems = checkCompute(config, host);
    return problems.empty() ? "no problem" : problems.front().text();
}

}  // namespace

TEST_CASE("auto uses GPUs if there is one per rank") {
    const ComputeChoice choice = chooseCompute(configWith("auto", "auto", 2), hostWith(2));
    CHECK(choice.device == DeviceChoice::kCuda);
    CHECK(choice.backend == CollectiveBackend::kNccl);
    CHECK(choice.whyDevice == "2 ranks on 2 GPUs: one GPU for each rank");
    CHECK(choice.whyBackend == "NCCL: the ranks compute on GPUs");
    CHECK(chooseCompute(configWith("auto", "auto", 1), hostWith(8)).whyDevice ==
          "1 rank on 8 GPUs: one GPU for each rank");
}

TEST_CASE("auto uses the CPU without enough GPUs, and reports the remedy") {
    CHECK(chooseCompute(configWith("auto", "auto"), hostWith(0)).whyDevice == "CPU: no driver");
    const ComputeChoice choice = chooseCompute(configWith("auto", "auto"), hostWith(1));
    CHECK(choice.device == DeviceChoice::kCpu);
    CHECK(choice.backend == CollectiveBackend::kShm);
    CHECK(choice.whyDevice == "CPU: 4 ranks and 1 usable GPU; parallel.share_gpu lets ranks share a GPU");
    CHECK(chooseCompute(configWith("auto", "shm", 1), hostWith(1)).whyDevice ==
          "CPU: parallel.backend is shm, which connects ranks on CPUs");
    CHECK(chooseCompute(sharing(configWith("auto", "auto")), hostWith(1)).whyDevice ==
          "4 ranks on 1 GPU, shared GPU: for teaching, not for timing");
}

TEST_CASE("auto uses the CPU for settings without GPU support, with the reason") {
    RunConfig devices = configWith("auto", "auto", 2);
    devices.parallel.strategy = StrategyKind::kDataParallel;
    devices.training.reduction = ReductionOrder::kCanonical;
    CHECK(chooseCompute(devices, hostWith(2)).whyDevice ==
          "CPU: data_parallel supports training.reduction canonical only on CPUs");
    RunConfig canonical = configWith("auto", "auto", 2);
    canonical.training.reduction = ReductionOrder::kCanonical;
    CHECK(chooseCompute(canonical, hostWith(2)).device == DeviceChoice::kCuda);
    RunConfig offload = configWith("auto", "auto", 2);
    offload.fsdp.cpuOffload = true;
    CHECK(chooseCompute(offload, hostWith(2)).device == DeviceChoice::kCuda);
    offload.parallel.strategy = StrategyKind::kFsdp;
    CHECK(chooseCompute(offload, hostWith(2)).whyDevice == "CPU: fsdp.cpu_offload is supported only on CPUs for now");
}

TEST_CASE("data_parallel uses a GPU for each device of its process") {
    RunConfig config = configWith("auto", "auto", 2);
    config.parallel.strategy = StrategyKind::kDataParallel;
    CHECK(chooseCompute(config, hostWith(2)).whyDevice == "2 devices on 2 GPUs: one GPU for each device");
    CHECK(chooseCompute(config, hostWith(1)).whyDevice ==
          "CPU: 2 devices and 1 usable GPU; parallel.share_gpu lets devices share a GPU");
    CHECK(chooseCompute(sharing(config), hostWith(1)).whyDevice ==
          "2 devices on 1 GPU, shared GPU: for teaching, not for timing");
    config.parallel.worldSize = 1;
    config.parallel.devices = 4;
    CHECK(chooseCompute(config, hostWith(4)).device == DeviceChoice::kCuda);
    config.parallel.device = DeviceChoice::kCuda;
    CHECK_THAT(refusal(config, hostWith(2)), containing("parallel.devices is 4, but there are only 2 usable GPUs"));
}

TEST_CASE("convolutions go to GPUs only in a build with cuDNN") {
    RunConfig config = configWith("auto", "auto", 1);
    config.model.kind = ModelKind::kSimpleCnn;
    CHECK(chooseCompute(config, hostWith(1)).device == DeviceChoice::kCuda);
    HostDevices host = hostWith(1);
    host.gpus.cudnn.clear();
    CHECK_THAT(chooseCompute(config, host).whyDevice, containing("CPU: the model has convolutions"));
    config.parallel.device = DeviceChoice::kCuda;
    CHECK_THAT(refusal(config, host), containing("install cuDNN 9"));
    config.model.kind = ModelKind::kLayers;
    config.model.layers = R"([{"kind": "linear"}])";
    CHECK(refusal(config, host) == "no problem");
}

TEST_CASE("settings of the environment for CPU instructions are reported if the CPU computes") {
    HostDevices host = hostWith(1);
    host.cpuSetting = "ONEDNN_MAX_CPU_ISA=AVX2";
    CHECK(chooseCompute(configWith("cpu", "auto", 1), host).cpuSetting == "ONEDNN_MAX_CPU_ISA=AVX2");
    CHECK(chooseCompute(configWith("cuda", "auto", 1), host).cpuSetting.empty());
}

TEST_CASE("cuda uses NCCL, and reports shared GPUs") {
    const ComputeChoice own = chooseCompute(configWith("cuda", "auto"), hostWith(8));
    CHECK(own.device == DeviceChoice::kCuda);
    CHECK(own.backend == CollectiveBackend::kNccl);
    CHECK(own.whyDevice == "4 ranks on 8 GPUs: chosen in the experiment");
    const ComputeChoice shared = chooseCompute(sharing(configWith("cuda", "nccl", 2)), hostWith(1));
    CHECK(shared.whyDevice == "2 ranks on 1 GPU, shared GPU: for teaching, not for timing");
}

TEST_CASE("without NCCL, ranks on GPUs communicate over Gloo, with the reason") {
    HostDevices host = hostWith(4);
    host.gpus.nccl.clear();
    const ComputeChoice choice = chooseCompute(configWith("cuda", "auto"), host);
    CHECK(choice.backend == CollectiveBackend::kGloo);
    CHECK_THAT(choice.whyBackend, containing("built without NCCL"));
    CHECK(refusal(configWith("cuda", "gloo"), host) == "no problem");
    CHECK_THAT(refusal(configWith("cuda", "nccl"), host), containing("built without NCCL"));
}

TEST_CASE("settings that this host does not support are refused with the remedy") {
    CHECK(refusal(configWith("auto", "auto"), hostWith(0)) == "no problem");
    CHECK(refusal(configWith("cuda", "nccl", 1), hostWith(1)) == "no problem");
    CHECK(refusal(configWith("cuda", "auto"), hostWith(0)) ==
          "parallel.device is cuda, but no GPU can be used: no driver: set parallel.device to auto or cpu");
    CHECK(refusal(configWith("cuda", "auto"), hostWith(1)) ==
          "parallel.world_size is 4, but there is only 1 usable GPU and parallel.share_gpu is off: lower the number to "
          "1, switch "
          "parallel.share_gpu on (shared GPU: for teaching, not for timing), or set parallel.device to cpu");
    CHECK(refusal(sharing(configWith("cuda", "auto")), hostWith(1)) == "no problem");
    CHECK_THAT(refusal(configWith("cuda", "shm", 1), hostWith(1)),
               containing("ranks on GPUs communicate over NCCL or Gloo"));
    CHECK_THAT(refusal(configWith("cpu", "nccl"), hostWith(1)), containing("set parallel.device to cuda"));
    CHECK_THAT(refusal(configWith("auto", "nccl"), hostWith(0)),
               containing("(CPU: no driver): set parallel.backend to auto"));
}

TEST_CASE("16-bit arithmetic is refused where the ranks would compute on the CPU") {
    RunConfig config = configWith("auto", "auto", 1);
    config.training.precision = TrainingPrecision::kBf16;
    CHECK(refusal(config, hostWith(1)) == "no problem");
    CHECK(refusal(config, hostWith(0)) ==
          "training.precision is bf16, which needs GPUs (CPU: no driver): set training.precision to fp32");
    config.parallel.device = DeviceChoice::kCpu;
    CHECK_THAT(config.validate().front().text(),
               containing("which the CPU does not support: set training.precision to fp32"));
}

TEST_CASE("a device report read back from JSON is unchanged, and anything else is a problem") {
    HostDevices host = hostWith(2);
    host.cpuName = "A processor";
    host.cpus = 3;
    host.memoryBytes = 1'000'000'000'000;
    const Result<HostDevices> back = parseHostDevices(toJson(host).dump());
    REQUIRE(back);
    CHECK(back.value().cpuName == host.cpuName);
    CHECK(back.value().memoryBytes == host.memoryBytes);
    CHECK(back.value().gpus == host.gpus);
    CHECK_FALSE(parseHostDevices("{}"));
    CHECK_FALSE(parseHostDevices("[1]"));
    CHECK_FALSE(parseHostDevices(R"({"cpu": {"name": 1}, "gpu": {}})"));
}
