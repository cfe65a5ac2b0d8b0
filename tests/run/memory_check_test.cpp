// SPDX-License-Identifier: Apache-2.0
#include "devices/memory_check.h"

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

// Linear(1023, 65536): 2^26 parameters; with gradients and momentum 3 x 4 bytes each, 0.75 GiB on each rank.
Problems problemsWith(std::int64_t memory, int worldSize) {
    RunConfig config;
    config.optimizer.momentum = 0.9;
    config.parallel.worldSize = worldSize;
    HostDevices host;
    host.memoryBytes = memory;
    return checkMemory(describeModel({ModelKind::kMlp, {}}, {1023}, 65536).value(), config, host);
}

}  // namespace

TEST_CASE("a model that fits on all ranks is not a problem") {
    CHECK(problemsWith(3 * kGibibyte, 4).empty());
    CHECK(problemsWith(0, 4).empty());  // 0: the memory of the machine is not known
}

TEST_CASE("a model larger than the memory of the computer is refused before the kernel kills a rank") {
    REQUIRE(problemsWith(2 * kGibibyte, 4).size() == 1);
    CHECK(problemsWith(2 * kGibibyte, 4).front().text() ==
          "the model takes 0.8 GiB on each of 4 ranks for weights, gradients and optimizer state (sgd); this computer "
          "has 2.0 GiB: choose "
          "a smaller model or fewer ranks");
    CHECK(problemsWith(kGibibyte / 2, 1).front().text() ==
          "the model takes 0.8 GiB for weights, gradients and optimizer state (sgd); this computer has 0.5 GiB: choose "
          "a smaller model");
}
