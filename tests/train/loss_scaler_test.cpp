// SPDX-License-Identifier: Apache-2.0
#include "parallel/loss_scaler.h"

#include "support/catch.h"
#include "training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig smallRun(const std::string& precision) {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 1;
    config.model.hidden = {16};
    config.training.precision = precision;
    return config;
}

}  // namespace

// The scales below are what torch.cuda.amp.GradScaler() gives: 65536, factors 2 and 0.5, interval 2000.
TEST_CASE("The loss scale halves at an infinite gradient and doubles after 2000 good steps in a row") {
    LossScaler scaler(true);
    CHECK(scaler.scale() == 65536);
    scaler.update(true);
    CHECK(scaler.scale() == 32768);
    for (int step = 0; step < 1999; ++step) scaler.update(false);
    CHECK(scaler.scale() == 32768);
    scaler.update(true);
    CHECK(scaler.scale() == 16384);
    for (int step = 0; step < 2000; ++step) scaler.update(false);
    CHECK(scaler.scale() == 32768);
    for (int step = 0; step < 2000; ++step) scaler.update(false);
    CHECK(scaler.scale() == 65536);
}

TEST_CASE("A scaler that is off leaves the loss alone") {
    CHECK(LossScaler(false).scale() == 1);
}

TEST_CASE("Scaling the loss by a power of two changes no bit of float32 training") {
    const auto plain = trainAsThreads(smallRun("fp32"));
    const auto scaled = trainAsThreads(smallRun("fp16"));  // the CPU computes in float32 whatever is asked here
    REQUIRE(plain[0].steps.size() == scaled[0].steps.size());
    for (std::size_t i = 0; i < plain[0].steps.size(); ++i) CHECK(plain[0].steps[i].loss == scaled[0].steps[i].loss);
    CHECK(plain[0].parameters == scaled[0].parameters);
    CHECK(scaled[0].parameters == scaled[1].parameters);
}
