// SPDX-License-Identifier: Apache-2.0
#include "data/sets/synthetic/synthetic_dataset.h"

#include "sampling/random/torch_random.h"

namespace ringside {

SampleTable makeSynthetic(const DatasetConfig& config, const std::stop_token& stop) {
    SampleTable table{.size = config.size, .shape = {.features = config.features}, .targetCount = config.targets};
    TorchGenerator generator(config.seed);
    growTo(table.features, config.size * config.features, stop);
    generator.normal(table.features, stop);
    growTo(table.targets, config.size * config.targets, stop);
    generator.normal(table.targets, stop);
    return table;
}

}  // namespace ringside
