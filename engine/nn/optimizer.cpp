// SPDX-License-Identifier: Apache-2.0
#include "nn/optimizer.h"

#include "nn/adam.h"
#include "nn/sgd.h"

namespace ringside {

Result<std::unique_ptr<Optimizer>> makeOptimizer(const OptimizerConfig& config,
                                                 const std::vector<Parameter*>& parameters, Backend& backend) {
    std::unique_ptr<Optimizer> optimizer;
    if (config.kind == "adam" || config.kind == "adamw") {
        optimizer = std::make_unique<Adam>(config, parameters, backend);
        return optimizer;
    }
    if (config.kind != "sgd")
        return Problem{"optimizer.kind", "is \"" + config.kind + "\"; this version knows sgd, adam and adamw",
                       "choose one of these"};
    if (config.nesterov && (config.momentum <= 0 || config.dampening != 0))
        return Problem{"optimizer.nesterov", "is on, which needs momentum above 0 and dampening 0",
                       "set optimizer.momentum to 0.9 and optimizer.dampening to 0"};
    optimizer = std::make_unique<Sgd>(config, parameters, backend);
    return optimizer;
}

}  // namespace ringside
