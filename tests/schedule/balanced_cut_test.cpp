// SPDX-License-Identifier: Apache-2.0
#include "schedule/balanced_cut.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "support/catch.h"

using namespace ringside;

namespace {

using Costs = std::vector<double>;

// Returns the smallest possible largest sum, by trying each position of the first cut.
double smallestLargest(const Costs& costs, std::size_t pieces) {
    if (pieces == 1) return std::accumulate(costs.begin(), costs.end(), 0.0);
    double best = 1e9;
    for (std::size_t first = 1; first + pieces - 1 <= costs.size(); ++first) {
        const auto cut = costs.begin() + static_cast<std::ptrdiff_t>(first);
        const double sum = std::accumulate(costs.begin(), cut, 0.0);
        best = std::min(best, std::max(sum, smallestLargest(Costs(cut, costs.end()), pieces - 1)));
    }
    return best;
}

// Returns the largest sum of the pieces.
double largestOf(const Costs& costs, const std::vector<std::size_t>& sizes) {
    double largest = 0;
    auto at = costs.begin();
    for (const std::size_t size : sizes) {
        const auto end = at + static_cast<std::ptrdiff_t>(size);
        largest = std::max(largest, std::accumulate(at, end, 0.0));
        at = end;
    }
    return largest;
}

}  // namespace

TEST_CASE("costs are cut where the largest sum is smallest") {
    using Sizes = std::vector<std::size_t>;
    CHECK(balancedCut({1, 2, 3, 4, 5}, 2) == Sizes{3, 2});  // 6 and 9
    CHECK(balancedCut({5, 1, 1, 1}, 2) == Sizes{1, 3});
    CHECK(balancedCut({9, 1, 1, 9}, 3) == Sizes{1, 2, 1});
    CHECK(balancedCut({1, 1, 1, 9}, 2) == Sizes{3, 1});
    CHECK(balancedCut({4, 2, 7}, 1) == Sizes{3});
    CHECK(balancedCut({4, 2, 7}, 3) == Sizes{1, 1, 1});
    // Among equally good cuts, balancedCut() chooses the one whose last piece has the most costs.
    CHECK(balancedCut({1, 1, 1, 1, 1}, 2) == Sizes{2, 3});
}

TEST_CASE("no other cut of random costs is better") {
    std::mt19937 random(1);
    for (std::size_t count = 1; count <= 7; ++count)
        for (std::size_t pieces = 1; pieces <= count; ++pieces)
            for (int trial = 0; trial < 10; ++trial) {
                Costs costs(count);
                // The costs are multiples of 1/64, so their sums are exact in any order.
                for (double& cost : costs) cost = static_cast<double>(random() % 128) / 64;
                const auto sizes = balancedCut(costs, pieces);
                CHECK(sizes.size() == pieces);
                CHECK(*std::ranges::min_element(sizes) >= 1);
                CHECK(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) == count);
                CHECK(largestOf(costs, sizes) == smallestLargest(costs, pieces));
            }
}
