// SPDX-License-Identifier: Apache-2.0
#include "config/leaves.h"

#include <optional>
#include <string>

#include "support/catch.h"

using namespace ringside;

namespace {

// Returns the sum of a rank's leaves as text, in the order of the additions.
std::string summed(int leaves, int filled) {
    std::vector<std::string> kept(8);
    std::string sum;
    for (int turn = 0; turn < leaves; ++turn) {
        const int leaf = bitsReversed(turn, leaves);
        if (leaf >= filled) continue;
        const TreeSumStep step = treeSumStep(turn, leaves, filled);
        sum = std::to_string(leaf);
        for (std::size_t level = 0; level < kept.size(); ++level)
            if ((step.adds >> level & 1) != 0) sum = "(" + kept[level] + "+" + sum + ")";
        if (step.keepAt >= 0) kept[static_cast<std::size_t>(step.keepAt)] = sum;
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

TEST_CASE("a canonical reduction works on GPUs over NCCL in float32, and not over MPI") {
    RunConfig config;
    config.training.reduction = ReductionOrder::kCanonical;
    config.parallel.device = DeviceChoice::kCuda;
    config.parallel.backend = CollectiveBackend::kNccl;
    Problems problems;
    checkCanonicalReduction(config, problems);
    CHECK(problems.empty());
    config.training.precision = TrainingPrecision::kBf16;
    checkCanonicalReduction(config, problems);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems.front().text(), containing("is canonical, which is computed in fp32"));
    config.training.precision = TrainingPrecision::kFp32;
    config.parallel.backend = CollectiveBackend::kMpi;
    problems.clear();
    checkCanonicalReduction(config, problems);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems.front().text(), containing("mpi adds in its own order"));
}
