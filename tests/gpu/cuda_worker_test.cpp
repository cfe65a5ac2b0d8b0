// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "devices/gpu_probe.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;

namespace {

const std::string kWorker = builtProgram("ringside-worker-cuda");

struct Ended {
    int code = -1;
    std::string output;
};

Ended run(const std::string& arguments) {
    Ended ended;
    FILE* pipe = ::popen((kWorker + " " + arguments + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) ended.output.append(buffer, count);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
    return ended;
}

}  // namespace

TEST_CASE("the CUDA worker reports the GPUs or the reason, with or without a driver") {
    const Ended ended = run("--devices");
    CHECK(ended.code == 0);
    const Result<GpuReport> report = parseGpuReport(ended.output);
    REQUIRE(report);
    CHECK_FALSE(report.value().cuda.empty());
    CHECK((report.value().usableCount() > 0) == report.value().why.empty());
}

TEST_CASE("the probe reads the output of the real worker") {
    GpuProbeOptions options;
    options.worker = kWorker;
    options.driverSigns = {kWorker};  // any existing file, so that the worker is queried although no driver is loaded
    const GpuReport report = probeGpus(options);
    CHECK_FALSE(report.cuda.empty());
    CHECK_THAT(report.why, !containing("ringside-worker-cuda"));
}

TEST_CASE("the manually started CUDA worker explains how runs are started") {
    const Ended ended = run("--rank 0 --world-size 1 --run-dir /nowhere --device cuda --backend nccl");
    CHECK(ended.code == 2);
    CHECK_THAT(ended.output, containing("ringsidectl run"));
}
