// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu_report.h"

#include "base/json/json.h"
#include "support/catch.h"

using namespace ringside;

namespace {

GpuReport twoGpus() {
    GpuReport report;
    report.driver = "580.65.06";
    report.driverCuda = "13.0";
    report.cuda = "13.0";
    report.nccl = "2.28.9";
    report.cudnn = "9.19.0";
    report.gpus = {
        {0, "NVIDIA H200", "GPU-1", "9.0", 150323855360, 149250113536, "", 12, 41, 118.6},
        {1, "Tesla V100", "GPU-2", "7.0", 17179869184, 17179869184, "compute capability 7.0 is too old", -1, -1, -1}};
    report.links = {{0, 1, "PCIe"}};
    return report;
}

}  // namespace

TEST_CASE("a GPU report read back from JSON is unchanged") {
    const GpuReport report = twoGpus();
    const Result<GpuReport> back = parseGpuReport(toJson(report).dump());
    REQUIRE(back);
    CHECK(back.value() == report);
    CHECK(back.value().usableCount() == 1);
}

TEST_CASE("the text lists name, memory, readings, links, versions and the reason if a GPU is not used") {
    const std::string text = describeGpus(twoGpus());
    CHECK_THAT(text, containing("GPU 0 NVIDIA H200: 140.0 GiB memory, 139.0 GiB free, compute capability 9.0, 12 % "
                                "busy, 41 C, 119 W\n"));
    CHECK_THAT(text, containing("GPU 1 Tesla V100: 16.0 GiB memory, 16.0 GiB free, compute capability 7.0; not used: "
                                "compute capability 7.0 is too old\n"));
    CHECK_THAT(text, containing("GPU 0 to GPU 1: PCIe\n"));
    CHECK_THAT(text,
               containing("Driver 580.65.06 (up to CUDA 13.0), built with CUDA 13.0, NCCL 2.28.9, cuDNN 9.19.0\n"));
    CHECK(describeGpus(reportWithoutGpus("no driver")) == "GPU   none in use: no driver\n");
}

TEST_CASE("an incomplete report is a problem, never an exception") {
    const std::string whole = toJson(twoGpus()).dump();
    for (std::size_t length = 0; length < whole.size(); ++length) CHECK_FALSE(parseGpuReport(whole.substr(0, length)));

    Json json = toJson(twoGpus());
    json["gpus"][0]["index"] = "zero";
    CHECK_FALSE(parseGpuReport(json.dump()));
    json = toJson(twoGpus());
    json.erase("nccl");
    CHECK_FALSE(parseGpuReport(json.dump()));
    json = toJson(twoGpus());
    json["links"] = 5;
    CHECK_FALSE(parseGpuReport(json.dump()));
    json = toJson(twoGpus());
    json["gpus"] = Json(std::vector<Json>(65, json["gpus"][0]));
    CHECK_THAT(parseGpuReport(json.dump()).problem().text(), containing("lists 65 GPUs; the maximum is 64"));
    CHECK_THAT(parseGpuReport(toJson(reportWithoutGpus("")).dump()).problem().text(),
               containing("no usable GPU and gives no reason"));
    CHECK_FALSE(parseGpuReport("[]"));
}
