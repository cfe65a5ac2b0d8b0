// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json/json.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxGpus = 64;
constexpr std::size_t kMaxGpuReportBytes = 1U << 20;

Problem broken(const std::string& message) {
    return {"the GPU report", message, "build ringsidectl and ringside-worker-cuda from the same sources"};
}

Json gpuJson(const GpuInfo& gpu) {
    return {{"index", gpu.index},
            {"name", gpu.name},
            {"uuid", gpu.uuid},
            {"compute_capability", gpu.computeCapability},
            {"memory_bytes", gpu.memoryBytes},
            {"free_bytes", gpu.freeBytes},
            {"why_not", gpu.whyNot},
            {"utilisation_percent", gpu.utilisationPercent},
            {"temperature_celsius", gpu.temperatureCelsius},
            {"power_watts", gpu.powerWatts}};
}

// Reads a report from JSON. Throws Json::exception for a missing key or a wrong type.
GpuInfo gpuFrom(const Json& json) {
    GpuInfo gpu;
    json.at("index").get_to(gpu.index);
    json.at("name").get_to(gpu.name);
    json.at("uuid").get_to(gpu.uuid);
    json.at("compute_capability").get_to(gpu.computeCapability);
    json.at("memory_bytes").get_to(gpu.memoryBytes);
    json.at("free_bytes").get_to(gpu.freeBytes);
    json.at("why_not").get_to(gpu.whyNot);
    json.at("utilisation_percent").get_to(gpu.utilisationPercent);
    json.at("temperature_celsius").get_to(gpu.temperatureCelsius);
    json.at("power_watts").get_to(gpu.powerWatts);
    return gpu;
}

GpuReport reportFrom(const Json& json) {
    GpuReport report;
    json.at("driver").get_to(report.driver);
    json.at("driver_cuda").get_to(report.driverCuda);
    json.at("cuda").get_to(report.cuda);
    json.at("nccl").get_to(report.nccl);
    json.at("cudnn").get_to(report.cudnn);
    json.at("why").get_to(report.why);
    for (const Json& gpu : json.at("gpus")) report.gpus.push_back(gpuFrom(gpu));
    for (const Json& link : json.at("links"))
        report.links.push_back(
            {link.at("from").get<int>(), link.at("to").get<int>(), link.at("kind").get<std::string>()});
    return report;
}

std::string gibibytes(std::int64_t bytes) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

std::string reading(double value, const char* unit) {
    return value < 0 ? "" : ", " + std::to_string(std::lround(value)) + unit;
}

std::string describeGpu(const GpuInfo& gpu) {
    return "GPU " + std::to_string(gpu.index) + " " + gpu.name + ": " + gibibytes(gpu.memoryBytes) + " memory" +
           (gpu.freeBytes < 0 ? "" : ", " + gibibytes(gpu.freeBytes) + " free") + ", compute capability " +
           gpu.computeCapability + reading(gpu.utilisationPercent, " % busy") + reading(gpu.temperatureCelsius, " C") +
           reading(gpu.powerWatts, " W") + (gpu.usable() ? "" : "; not used: " + gpu.whyNot) + "\n";
}

}  // namespace

int GpuReport::usableCount() const {
    return static_cast<int>(std::count_if(gpus.begin(), gpus.end(), [](const GpuInfo& gpu) { return gpu.usable(); }));
}

Json toJson(const GpuReport& report) {
    Json gpus = Json::array();
    for (const GpuInfo& gpu : report.gpus) gpus.push_back(gpuJson(gpu));
    Json links = Json::array();
    for (const GpuLink& link : report.links)
        links.push_back({{"from", link.from}, {"to", link.to}, {"kind", link.kind}});
    return {{"driver", report.driver},
            {"driver_cuda", report.driverCuda},
            {"cuda", report.cuda},
            {"nccl", report.nccl},
            {"cudnn", report.cudnn},
            {"why", report.why},
            {"gpus", gpus},
            {"links", links}};
}

Result<GpuReport> parseGpuReport(std::string_view text) {
    const Result<Json> json = parseJson(text, "the GPU report", kMaxGpuReportBytes);
    if (!json) return json.problem();
    try {
        GpuReport report = reportFrom(json.value());
        if (report.gpus.size() > kMaxGpus)
            return broken("lists " + std::to_string(report.gpus.size()) + " GPUs; the maximum is " +
                          std::to_string(kMaxGpus));
        if (report.usableCount() == 0 && report.why.empty()) return broken("lists no usable GPU and gives no reason");
        return report;
    } catch (const Json::exception& error) {
        return broken(std::string("cannot be read: ") + error.what());
    }
}

GpuReport reportWithoutGpus(std::string why) {
    GpuReport report;
    report.why = std::move(why);
    return report;
}

std::string describeGpus(const GpuReport& report) {
    std::string text;
    for (const GpuInfo& gpu : report.gpus) text += describeGpu(gpu);
    for (const GpuLink& link : report.links)
        text += "GPU " + std::to_string(link.from) + " to GPU " + std::to_string(link.to) + ": " + link.kind + "\n";
    if (report.usableCount() == 0) text += "GPU   none in use: " + report.why + "\n";
    if (!report.driver.empty())
        text += "Driver " + report.driver + " (up to CUDA " + report.driverCuda + "), built with CUDA " + report.cuda +
                ", " + (report.nccl.empty() ? "without NCCL" : "NCCL " + report.nccl) + ", " +
                (report.cudnn.empty() ? "without cuDNN" : "cuDNN " + report.cudnn) + "\n";
    return text;
}

}  // namespace ringside
