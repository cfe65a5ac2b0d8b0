// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel/data_parallel.h"
#include "parallel/ddp/distributed_data_parallel.h"
#include "parallel/mesh/mesh_strategy.h"

namespace ringside {

Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyDependencies& dependencies) {
    if (dependencies.plan.devices > 0) return DataParallel::make(config, dependencies);
    if (!dependencies.plan.holdsWholeModel()) return MeshStrategy::make(config, dependencies);
    auto optimizer = makeOptimizer(config.optimizer, dependencies.model.parameters(), dependencies.backend,
                                   config.training.precision == TrainingPrecision::kFp16);
    if (!optimizer) return optimizer.problem();
    std::unique_ptr<Strategy> strategy =
        std::make_unique<DistributedDataParallel>(config, dependencies, std::move(optimizer).value());
    return strategy;
}

}  // namespace ringside
