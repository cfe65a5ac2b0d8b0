// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu_probe.h"

#include <fstream>

#include "base/json/json.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

// A simulated loaded driver, and a worker that is a shell script.
struct Machine {
    TemporaryDirectory directory;
    GpuProbeOptions options;

    explicit Machine(const std::string& script) {
        options.driverSigns = {directory.path() / "absent", directory.path() / "version"};
        std::ofstream(options.driverSigns.back()) << "NVRM version";
        options.worker = directory.path() / "ringside-worker-cuda";
        std::ofstream(options.worker) << "#!/bin/sh\n" << script;
        std::filesystem::permissions(options.worker, std::filesystem::perms::owner_all);
    }
    std::string why() { return probeGpus(options).why; }
};

}  // namespace

TEST_CASE("without a driver no child process is started") {
    Machine machine("exit 1\n");
    machine.options.driverSigns.pop_back();
    CHECK(machine.why() == "no GPU found on this machine (no NVIDIA driver is loaded)");
}

TEST_CASE("a driver without ringside-worker-cuda is explained") {
    Machine machine("");
    std::filesystem::remove(machine.options.worker);
    CHECK_THAT(machine.why(), containing("computes on CPUs only (ringside-worker-cuda is missing"));
}

TEST_CASE("the report of the child is used") {
    GpuReport report;
    report.gpus = {{0, "NVIDIA H200", "GPU-1", "9.0", 150, 100, "", -1, -1, -1}};
    Machine machine("[ \"$1\" = --devices ] && cat <<'END'\n" + toJson(report).dump() + "\nEND\n");
    CHECK(probeGpus(machine.options) == report);

    Machine chatty("echo 'ERROR: ld.so: object cannot be preloaded: ignored.' >&2\ncat <<'END'\n" +
                   toJson(report).dump() + "\nEND\n");
    CHECK(probeGpus(chatty.options) == report);
}

TEST_CASE("a child that fails, dies, hangs or prints garbage results in a reason") {
    CHECK(Machine("echo 'error while loading shared libraries: libnccl.so.2' >&2; exit 127\n").why() ==
          "ringside-worker-cuda --devices ended with code 127: error while loading shared libraries: libnccl.so.2");
    CHECK_THAT(Machine("kill -SEGV $$\n").why(), containing("was ended by signal 11"));
    CHECK_THAT(Machine("echo hello\n").why(), containing("the GPU report"));

    Machine hanging("exec sleep 1000\n");
    hanging.options.deadline = 100ms;
    CHECK_THAT(hanging.why(), containing("took longer than 100 ms; check that nvidia-smi responds"));
    CHECK(probeGpus(hanging.options).probeTimedOut);
    CHECK_FALSE(probeGpus(Machine("echo hello\n").options).probeTimedOut);
    Machine quiet("exec >/dev/null 2>&1; exec sleep 1000\n");
    quiet.options.deadline = 100ms;
    CHECK_THAT(quiet.why(), containing("took longer than 100 ms"));
    Machine endless("exec cat /dev/zero\n");
    CHECK_THAT(endless.why(), containing("took longer than"));
}

TEST_CASE("a worker that cannot be started is a reason too") {
    Machine machine("");
    std::filesystem::permissions(machine.options.worker, std::filesystem::perms::owner_read);
    CHECK_THAT(machine.why(), containing("ringside-worker-cuda"));
}
