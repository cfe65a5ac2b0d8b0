// SPDX-License-Identifier: Apache-2.0
#include "run/host_devices.h"
#include "support/catch.h"

using namespace ringside;

namespace {

HostDevices hostWith(int gpus) {
    HostDevices host;
    host.gpus = noGpu("no driver");
    if (gpus == 0) return host;
    host.gpus.why.clear();
    host.gpus.nccl = "2.28.9";
    for (int index = 0; index < gpus; ++index) {
        GpuInfo gpu;
        gpu.index = index;
        host.gpus.gpus.push_back(gpu);
    }
    return host;
}

ParallelConfig asked(const std::string& device, const std::string& backend, std::int64_t worldSize = 4) {
    ParallelConfig parallel;
    parallel.device = device;
    parallel.backend = backend;
    parallel.worldSize = worldSize;
    return parallel;
}

}  // namespace

TEST_CASE("auto computes on the CPU and says what it knows of GPUs") {
    CHECK(chooseCompute(asked("auto", "auto"), hostWith(0)).whyDevice == "CPU: no driver");
    const ComputeChoice choice = chooseCompute(asked("auto", "auto"), hostWith(1));
    CHECK(choice.device == "cpu");
    CHECK(choice.backend == "shm");
    CHECK(choice.whyDevice == "CPU: 1 GPU is there and used when parallel.device is cuda");
}

TEST_CASE("cuda takes NCCL, and says when ranks share a GPU") {
    const ComputeChoice own = chooseCompute(asked("cuda", "auto"), hostWith(8));
    CHECK(own.device == "cuda");
    CHECK(own.backend == "nccl");
    CHECK(own.whyDevice == "4 ranks on 8 GPUs: chosen in the experiment");
    const ComputeChoice shared = chooseCompute(asked("cuda", "nccl", 2), hostWith(1));
    CHECK(shared.whyDevice == "2 ranks on 1 GPU, shared GPU: for teaching, not for timing");
}

TEST_CASE("What this host cannot do is refused with the way out") {
    const auto refusal = [](const ParallelConfig& parallel, const HostDevices& host) {
        const Problems problems = checkCompute(parallel, host);
        return problems.empty() ? "no problem" : problems.front().text();
    };
    CHECK(refusal(asked("auto", "auto"), hostWith(0)) == "no problem");
    CHECK(refusal(asked("cuda", "nccl"), hostWith(1)) == "no problem");
    CHECK(refusal(asked("cuda", "auto"), hostWith(0)) ==
          "parallel.device is cuda, but no GPU can be used: no driver: set it to auto or cpu");
    CHECK_THAT(refusal(asked("cuda", "shm"), hostWith(1)),
               containing("parallel.backend is shm, but ranks on GPUs talk over NCCL"));
    CHECK_THAT(refusal(asked("cpu", "nccl"), hostWith(1)), containing("set parallel.device to cuda"));
    HostDevices withoutNccl = hostWith(1);
    withoutNccl.gpus.nccl.clear();
    CHECK_THAT(refusal(asked("cuda", "auto"), withoutNccl), containing("built without NCCL"));
}
