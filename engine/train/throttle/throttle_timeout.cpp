// SPDX-License-Identifier: Apache-2.0
#include "train/throttle/throttle_timeout.h"

#include <fmt/format.h>

#include <string>

#include "comm/throttle/link_throttle.h"
#include "model/model_description.h"
#include "train/interfaces/training_error.h"
#include "train/throttle/device_throttle.h"

namespace ringside {
namespace {

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

}  // namespace

void checkThrottleTimeout(const TrainerDependencies& dependencies, const Model& model, std::int64_t largestBatch) {
    const ThrottleConfig& throttle = dependencies.config.parallel.throttle;
    const double most = dependencies.config.parallel.timeoutSeconds / 2;
    const DeviceThrottle device(dependencies.config, modelInterface(*dependencies.data.training));
    const double backward =
        seconds(device.passNs(model, LayerWatch::Work::kBackward, largestBatch, 0, model.layerCount()));
    const LinkThrottle link{throttle.gbitPerSecond, throttle.latencyUs};
    std::int64_t bytes = 0;
    for (const Parameter* one : model.wholeParameters()) bytes += 4 * one->shape.count();
    const double moving =
        link.isActive()
            ? seconds(link.collectiveNs(CollectiveKind::kAllReduce, bytes, dependencies.communicator.size()))
            : 0;
    const auto refuse = [&](const char* field, const char* what, double lasts) {
        const std::string text = fmt::format(
            "makes {} last {:.3g} s; the maximum is {:.3g} s, half of parallel.timeout_seconds", what, lasts, most);
        throw TrainingError(Problem{field, text, "raise " + std::string(field) + " or parallel.timeout_seconds"});
    };
    if (backward > most) refuse("parallel.pace.gflops", "a backward pass", backward);
    if (moving > most) refuse("parallel.pace.gbit_per_s", "the gradients' all-reduce", moving);
}

}  // namespace ringside
