// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/throttle_presets.h"

#include <algorithm>
#include <cmath>

#include "model/model_description.h"

namespace ringside {
namespace {

constexpr double kPassesMs = 30;  // intended duration of the forward and backward pass of a throttled step
constexpr double kGradientsMs = 6;
constexpr double kSlowGradientsMs = 60;
constexpr double kLatencyUs = 100;
constexpr double kSlowLatencyUs = 1000;

// Returns the value rounded to two significant digits.
double rounded(double value) {
    const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
    return std::round(value / unit) * unit;
}

struct ModelSize {
    // The default values of the following two members are those of an MLP for the digits data set, which has 9,610
    // parameters of 4 bytes each.
    double flops = 19072;  // FLOPs of the forward pass of one sample
    double bytes = 38440;  // size of all gradients of one model replica in bytes
};

ModelSize sizeOf(const RunConfig& config, const DataSplit* data) {
    if (!data) return {};
    const Result<ModelDescription> model = describeModel(config.model, *data->training);
    if (!model || model.value().flops() < 1 || model.value().parameters() < 1) return {};
    return {static_cast<double>(model.value().flops()), 4 * static_cast<double>(model.value().parameters())};
}

}  // namespace

RunConfig withThrottle(RunConfig config, const DataSplit* data, ThrottlePreset preset) {
    config.parallel.throttle = {};
    if (preset == ThrottlePreset::Off) return config;
    const bool slow = preset == ThrottlePreset::SlowNetwork;
    if (!slow) config.parallel.worldSize = 4;
    const auto ranks = static_cast<double>(std::max<std::int64_t>(config.parallel.worldSize, 2));
    const ModelSize model = sizeOf(config, data);
    ThrottleConfig& throttle = config.parallel.throttle;
    // Chooses a compute speed at which the forward and backward pass take kPassesMs (30 ms), and a link speed at which
    // the all-reduce takes kGradientsMs (6 ms) or, if `slow` is true, kSlowGradientsMs (60 ms). The two passes cost the
    // FLOPs of three forward passes. In a ring all-reduce among N ranks each rank sends 2 (N-1)/N of the gradient
    // bytes.
    throttle.gflops = rounded(3 * model.flops * static_cast<double>(config.loader.batchSize) / (kPassesMs * 1e6));
    throttle.gbitPerSecond =
        rounded(8 * model.bytes * 2 * (ranks - 1) / ranks / ((slow ? kSlowGradientsMs : kGradientsMs) * 1e6));
    throttle.latencyUs = slow ? kSlowLatencyUs : kLatencyUs;
    return config;
}

}  // namespace ringside
