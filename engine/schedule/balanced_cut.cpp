// SPDX-License-Identifier: Apache-2.0
#include "schedule/balanced_cut.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/errors/errors.h"

namespace ringside {

// Dynamic programming over prefixes: best[k][i] is the smallest possible largest sum if the first i costs are cut into
// k pieces, and from[k][i] is the start of the last piece.
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

}  // namespace ringside
