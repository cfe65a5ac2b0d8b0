// SPDX-License-Identifier: Apache-2.0
#include "config/leaves.h"

#include <optional>
#include <string>

#include "support/catch.h"

using namespace ringside;

namespace {

// Returns the sum of a rank's leaves, written out in the order of addition.
std::string summed(int leaves, int filled) {
    std::vector<std::string> kept(8);
    std::string sum;
    for (int turn = 0; turn < leaves; ++turn) {
        const int leaf = bitsReversed(turn, leaves);
        if (leaf >= filled) continue;
        const TreeTurn place = treeTurn(turn, leaves, filled);
        sum = std::to_string(leaf);
        for (std::size_t level = 0; level < kept.size(); ++level)
            if ((place.adds >> level & 1) != 0) sum = "(" + kept[level] + "+" + sum + ")";
        if (place.keepAt >= 0) kept[static_cast<std::size_t>(place.keepAt)] = sum;
    }
    return sum;
}

}  // namespace

TEST_CASE("leaves are summed at half the distance each time") {
    CHECK(summed(1, 1) == "0");
    CHECK(summed(2, 2) == "(0+1)");
    CHECK(summed(4, 4) == "((0+2)+(1+3))");
    CHECK(summed(8, 8) == "(((0+4)+(2+6))+((1+5)+(3+7)))");
}

TEST_CASE("leaves without samples are skipped, and the tree keeps its form") {
    CHECK(summed(8, 1) == "0");
    CHECK(summed(8, 3) == "((0+2)+1)");
    CHECK(summed(8, 5) == "(((0+4)+2)+(1+3))");
    CHECK(summed(4, 3) == "((0+2)+1)");
}
