// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/nvml.h"

#include <string>

#include "support/catch.h"
#include "support/places.h"

using namespace ringside::cuda;

namespace {

const std::string& fakeNvml() {
    static const std::string path = ringside::testProgram("gpu/libfake_nvml.so");
    return path;
}

}  // namespace

TEST_CASE("NVML's readings of a GPU are used, and missing values stay unknown") {
    const Nvml nvml(fakeNvml().c_str());
    REQUIRE(nvml.available());
    CHECK(nvml.driverVersion() == "580.65.06");
    const NvmlReading reading = nvml.read("GPU-known");
    CHECK(reading.utilisationPercent == 87);
    CHECK(reading.temperatureCelsius == 63);
    CHECK(reading.totalBytes == 150);
    CHECK(reading.freeBytes == 100);
    CHECK(reading.powerWatts == -1);
    CHECK_FALSE(nvml.nvlinkBetween("GPU-known", "GPU-known"));
}

TEST_CASE("a GPU instance has different names in NVML and CUDA") {
    const Nvml nvml(fakeNvml().c_str());
    CHECK(nvml.nameOf("GPU-part") == "MIG-part");
    CHECK(nvml.nameOf("GPU-known") == "GPU-known");
    CHECK(nvml.nameOf("GPU-gone") == "GPU-gone");
    CHECK(nvml.read("GPU-part").totalBytes == 150);
}

TEST_CASE("a GPU that NVML does not know and a machine without NVML have no readings") {
    CHECK(Nvml(fakeNvml().c_str()).read("GPU-gone").utilisationPercent == -1);
    const Nvml absent("no-such-library.so.1");
    CHECK_FALSE(absent.available());
    CHECK(absent.driverVersion().empty());
    CHECK(absent.read("GPU-known").freeBytes == -1);
}
