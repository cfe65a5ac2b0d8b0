// SPDX-License-Identifier: Apache-2.0
#include "devices/memory_check.h"

#include <fmt/format.h>

#include "config/mesh.h"
#include "model/model_summary.h"

namespace ringside {
namespace {

std::string gibibytes(double bytes) {
    return fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

}  // namespace

Problems checkMemory(const ModelDescription& model, const RunConfig& config, const HostDevices& host) {
    const auto perRank = static_cast<double>(parameterBytes(model, config.optimizer));
    const auto memory = static_cast<double>(host.memoryBytes);
    // Number of complete copies of the model over all ranks. If there are more ranks than copies, several ranks hold
    // one copy together, each a part of it.
    const std::int64_t ranks = meshOf(config).replicate;
    if (memory <= 0 || perRank * static_cast<double>(ranks) <= memory) return {};
    return {{"the model",
             "takes " + gibibytes(perRank) + (ranks > 1 ? " on each of " + std::to_string(ranks) + " ranks" : "") +
                 " for weights, gradients and optimizer state (" + textOf(config.optimizer.kind) +
                 "); this computer has " + gibibytes(memory),
             perRank <= memory ? "choose a smaller model or fewer ranks" : "choose a smaller model"}};
}

}  // namespace ringside
