// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/stage_cut.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ringside {

// best[k][i]: the least largest sum of the first i costs in k pieces.
std::vector<std::size_t> balancedCut(const std::vector<double>& costs, std::size_t pieces) {
    const std::size_t count = costs.size();
    RINGSIDE_ASSERT(pieces > 0 && pieces <= count);
    std::vector<double> before(count + 1);
    std::partial_sum(costs.begin(), costs.end(), before.begin() + 1);
    const double never = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> best(pieces + 1, std::vector<double>(count + 1, never));
    std::vector<std::vector<std::size_t>> from(pieces + 1, std::vector<std::size_t>(count + 1));
    best[0][0] = 0;
    for (std::size_t piece = 1; piece <= pieces; ++piece) {
        for (std::size_t end = piece; end <= count; ++end) {
            for (std::size_t begin = piece - 1; begin < end; ++begin) {
                const double largest = std::max(best[piece - 1][begin], before[end] - before[begin]);
                if (largest >= best[piece][end]) continue;
                best[piece][end] = largest;
                from[piece][end] = begin;
            }
        }
    }
    std::vector<std::size_t> sizes(pieces);
    std::size_t end = count;
    for (std::size_t piece = pieces; piece > 0; --piece) {
        sizes[piece - 1] = end - from[piece][end];
        end = from[piece][end];
    }
    return sizes;
}

Result<std::vector<LayerRange>> cutIntoStages(const Model& model, const RunConfig& config, std::size_t stages) {
    const std::size_t layers = model.layerCount();
    const std::string have = "the model has " + std::to_string(layers) + " layers";
    if (stages > layers)
        return Problem{"mesh.pipeline", "makes " + std::to_string(stages) + " stages, but " + have,
                       "use at most " + std::to_string(layers) + " stages"};
    std::vector<std::size_t> sizes;
    for (const std::int64_t size : config.pipeline.split) sizes.push_back(static_cast<std::size_t>(size));
    if (!sizes.empty() && std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) != layers)
        return Problem{"pipeline.split",
                       "adds up to " + std::to_string(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0})) +
                           ", but " + have,
                       "make it add up, or leave it empty"};
    if (sizes.empty()) {
        std::vector<double> costs;
        // Two operations for each weight and place it is used at; a layer without weights passes over its input.
        for (std::size_t i = 0; i < layers; ++i) costs.push_back(model.costOf(i));
        sizes = balancedCut(costs, stages);
    }
    std::vector<LayerRange> ranges;
    std::size_t first = 0;
    for (const std::size_t size : sizes) {
        ranges.push_back({first, first + size});
        first += size;
    }
    return ranges;
}

}  // namespace ringside
