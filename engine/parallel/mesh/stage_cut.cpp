// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/stage_cut.h"

#include "cost/stage_plan.h"

namespace ringside {

Result<std::vector<LayerRange>> cutIntoStages(const Model& model, const RunConfig& config, std::size_t stages) {
    std::vector<double> costs;
    // A layer's cost is its number of weights times the number of positions at which they are used, plus its number of
    // inputs.
    for (std::size_t i = 0; i < model.layerCount(); ++i) costs.push_back(model.costOf(i));
    const Result<std::vector<std::size_t>> sizes = stageSizes(config, costs, stages);
    if (!sizes) return sizes.problem();
    std::vector<LayerRange> ranges;
    std::size_t first = 0;
    for (const std::size_t size : sizes.value()) {
        ranges.push_back({first, first + size});
        first += size;
    }
    return ranges;
}

}  // namespace ringside
