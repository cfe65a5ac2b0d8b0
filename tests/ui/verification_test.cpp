// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/verification.h"

#include "models/run_model.h"
#include "plans.h"
#include "support/catch.h"
#include "telemetry/codec.h"
#include "wait_for.h"

using namespace ringside;

namespace {

void feed(RunModel& run, const Event& event) {
    run.feed(QByteArray::fromStdString(encode(event)));
}

RunConfig tenOnFourConfig() {
    RunConfig config;
    config.loader.batchSize = 2;
    return config;
}

void start(RunModel& run) {
    RunStarted started;
    started.worldSize = 4;
    started.trainingSamples = 10;
    started.stepsPerEpoch = 2;
    started.epochs = 10;
    started.batchSize = 2;
    started.config = tenOnFourConfig().toJson();
    feed(run, started);
}

}  // namespace

TEST_CASE("what the loader drops is not part of what a rank trains") {
    const ShardPlan whole = planOf(tenOnFour());
    CHECK(trainedHash(whole, 3) == whole.hash(3));
    ShardSpec cut = tenOnFour();
    cut.loaderDropLast = true;
    CHECK(trainedHash(planOf(cut), 3) != whole.hash(3));
}

TEST_CASE("the order's hash is the head of SHA-256 over little-endian int64") {
    // python3: hashlib.sha256(struct.pack("<10q", *torch.randperm(10, generator=g0))).hexdigest()[:16]
    CHECK(orderHash(planOf(tenOnFour())) == "03a1 9def e024 a605");
}

TEST_CASE("an epoch is verified when all ranks trained what was planned") {
    RunModel run;
    Verification verification(run);
    CHECK(verification.sentence().isEmpty());
    start(run);
    const ShardPlan plan = planOf(tenOnFour());
    for (int rank = 0; rank < 3; ++rank) feed(run, Consumed{rank, 0, 3, plan.hash(rank)});
    REQUIRE(waitFor([&] { return verification.state().ranks == 4; }));
    CHECK(verification.state().verifiedEpochs == 0);
    feed(run, Consumed{3, 0, 3, plan.hash(3)});
    REQUIRE(waitFor([&] { return verification.state().verifiedEpochs == 1; }));
    CHECK(verification.sentence() == "verified: 1 of 10 epochs on 4 ranks");
    run.reset();
    CHECK(verification.sentence().isEmpty());
}

TEST_CASE("a rank that trained other samples is named") {
    RunModel run;
    Verification verification(run);
    start(run);
    const ShardPlan plan = planOf(tenOnFour());
    for (int rank = 0; rank < 4; ++rank) feed(run, Consumed{rank, 0, 3, plan.hash(rank == 2 ? 1 : rank)});
    REQUIRE(waitFor([&] { return !verification.state().mismatches.empty(); }));
    CHECK(verification.state().mismatches == std::vector<Mismatch>{{2, 0}});
    CHECK(verification.sentence() == "Not as planned: rank 2 trained other samples in epoch 0");
    CHECK(verification.state().verifiedEpochs == 0);
}
