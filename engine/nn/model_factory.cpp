// SPDX-License-Identifier: Apache-2.0
#include "nn/model_factory.h"

#include "nn/linear.h"
#include "nn/relu.h"

namespace ringside {

namespace {

std::vector<std::unique_ptr<Layer>> mlpLayers(const std::vector<std::int64_t>& hidden, std::int64_t inputs,
                                              std::int64_t outputs) {
    std::vector<std::unique_ptr<Layer>> layers;
    const auto prefix = [&] { return std::to_string(layers.size()) + "."; };
    std::int64_t width = inputs;
    for (std::int64_t next : hidden) {
        layers.push_back(std::make_unique<Linear>(width, next, prefix()));
        layers.push_back(std::make_unique<ReLU>());
        width = next;
    }
    layers.push_back(std::make_unique<Linear>(width, outputs, prefix()));
    return layers;
}

}  // namespace

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, std::int64_t inputs, std::int64_t outputs,
                                         Backend& backend) {
    if (config.kind == "mlp") return std::make_unique<Model>(backend, mlpLayers(config.hidden, inputs, outputs));
    if (config.kind == "toy_linear") {
        std::vector<std::unique_ptr<Layer>> layers;
        layers.push_back(std::make_unique<Linear>(inputs, outputs, "linear."));
        return std::make_unique<Model>(backend, std::move(layers));
    }
    return Problem{"model.kind", "is \"" + config.kind + "\"; this version knows mlp and toy_linear",
                   "choose one of these"};
}

}  // namespace ringside
