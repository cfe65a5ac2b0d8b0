// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel/data_parallel.h"
#include "parallel/ddp/distributed_data_parallel.h"
#include "parallel/mesh/mesh_strategy.h"

namespace ringside {

Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyParts& parts) {
    if (parts.plan.devices > 0) return DataParallel::make(config, parts);
    if (!parts.plan.holdsWholeModel()) return MeshStrategy::make(config, parts);
    auto optimizer = makeOptimizer(config.optimizer, parts.model.parameters(), parts.backend,
                                   config.training.precision == TrainingPrecision::kFp16);
    if (!optimizer) return optimizer.problem();
    std::unique_ptr<Strategy> strategy =
        std::make_unique<DistributedDataParallel>(config, parts, std::move(optimizer).value());
    return strategy;
}

}  // namespace ringside
