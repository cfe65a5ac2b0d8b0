// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel/data_parallel.h"
#include "parallel/ddp/distributed_data_parallel.h"
#include "parallel/mesh/mesh_strategy.h"

namespace ringside {
namespace {

// Creates the strategy for a mesh of ranks: DistributedDataParallel if each rank holds the whole model, otherwise
// MeshStrategy.
Result<std::unique_ptr<Strategy>> makeMeshed(const RunConfig& config, const StrategyDependencies& dependencies) {
    if (!dependencies.plan.holdsWholeModel()) return MeshStrategy::make(config, dependencies);
    auto optimizer = makeOptimizer(config.optimizer, dependencies.model.parameters(), dependencies.backend,
                                   config.training.precision == TrainingPrecision::kFp16);
    if (!optimizer) return optimizer.problem();
    std::unique_ptr<Strategy> strategy =
        std::make_unique<DistributedDataParallel>(config, dependencies, std::move(optimizer).value());
    return strategy;
}

}  // namespace

Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyDependencies& dependencies) {
    switch (config.parallel.strategy) {
        case StrategyKind::kDataParallel:
            return DataParallel::make(config, dependencies);
        case StrategyKind::kDdp:
        case StrategyKind::kModelParallel:
        case StrategyKind::kPipeline:
        case StrategyKind::kFsdp:
            break;
    }
    return makeMeshed(config, dependencies);
}

}  // namespace ringside
