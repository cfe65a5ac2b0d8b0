// SPDX-License-Identifier: Apache-2.0
// Linked into the programs that need a GPU. Queries the GPUs in another process, because these tests fork and CUDA does
// not survive a fork.
#include <cstdio>

#include "devices/gpu_probe.h"
#include "support/places.h"

int skipTests();

int skipTests() {
    constexpr int kSkipped = 77;
    ringside::GpuProbeOptions options;
    options.worker = ringside::builtProgram("ringside-worker-cuda");
    const ringside::GpuReport report = ringside::probeGpus(options);
    if (report.usableCount() > 0) return 0;
    if (report.probeTimedOut) {
        std::printf("%s\n", report.why.c_str());
        return 1;
    }
    std::printf("skipped: no GPU: %s\n", report.why.c_str());
    return kSkipped;
}
