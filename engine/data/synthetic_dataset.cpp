// SPDX-License-Identifier: Apache-2.0
#include "data/synthetic_dataset.h"

#include "sampling/torch_random.h"

namespace ringside {

SampleTable makeSynthetic(const DatasetConfig& config) {
    SampleTable table{.size = config.size, .shape = {.features = config.features}, .targetCount = config.targets};
    TorchGenerator generator(config.seed);
    table.features.resize(static_cast<std::size_t>(config.size * config.features));
    generator.normal(table.features);
    table.targets.resize(static_cast<std::size_t>(config.size * config.targets));
    generator.normal(table.targets);
    return table;
}

}  // namespace ringside
