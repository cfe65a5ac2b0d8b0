// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/watch/verification.h"

#include "models/run_model.h"
#include "plans.h"
#include "shards/scene/order_hash.h"
#include "shards/watch/run_progress.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"
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

void start(RunModel& run, RunConfig config = tenOnFourConfig()) {
    RunStarted started;
    started.worldSize = static_cast<int>(config.parallel.worldSize);
    started.trainingSamples = 10;
    started.stepsPerEpoch = 2;
    started.epochs = 10;
    started.batchSize = 2;
    started.config = config.toText();
    feed(run, started);
}

}  // namespace

TEST_CASE("the order's hash is the head of SHA-256 over little-endian int64") {
    // python3: hashlib.sha256(struct.pack("<10q", *torch.randperm(10, generator=g0))).hexdigest()[:16]
    CHECK(orderHash(planOf(tenOnFour())) == "03a1 9def e024 a605");
}

TEST_CASE("an epoch is verified when all ranks trained on the planned samples") {
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

TEST_CASE("samples of a watched script are compared with no plan") {
    for (const DatasetKind kind : {DatasetKind::kExternal, DatasetKind::kSynthetic}) {
        RunModel run;
        RunConfig config = tenOnFourConfig();
        config.dataset.kind = kind;
        config.dataset.size = 10;
        start(run, config);
        const Verification verification(run);
        CHECK(verification.state().ranks == (kind == DatasetKind::kExternal ? 0 : 4));
    }
}

TEST_CASE("one rank is verified in the singular") {
    RunModel run;
    Verification verification(run);
    RunConfig config = tenOnFourConfig();
    config.parallel.worldSize = 1;
    start(run, config);
    ShardSpec spec = tenOnFour();
    spec.worldSize = 1;
    feed(run, Consumed{0, 0, 10, planOf(spec).hash(0)});
    REQUIRE(waitFor([&] { return verification.state().verifiedEpochs == 1; }));
    CHECK(verification.sentence() == "verified: 1 of 10 epochs on 1 rank");
}

TEST_CASE("a rank that trained on other samples is named") {
    RunModel run;
    Verification verification(run);
    start(run);
    const ShardPlan plan = planOf(tenOnFour());
    for (int rank = 0; rank < 4; ++rank) feed(run, Consumed{rank, 0, 3, plan.hash(rank == 2 ? 1 : rank)});
    REQUIRE(waitFor([&] { return verification.isAudited(0); }));
    CHECK(verification.state().mismatches == std::vector<PlanMismatch>{{2, 0}});
    CHECK(verification.sentence() ==
          "Not as planned: rank 2, epoch 1: the trained samples differ from the planned samples (found by comparing "
          "their hashes)");
    CHECK(verification.state().verifiedEpochs == 0);
    CHECK(verification.isWrong(2, 0));
    CHECK_FALSE(verification.isWrong(1, 0));
}

TEST_CASE("a wrong sample is named as soon as it is reported") {
    RunModel run;
    Verification verification(run);
    start(run);
    feed(run, ConsumedIndices{2, 0, 1, 0, {7, 0}});
    feed(run, ConsumedIndices{2, 0, 2, 2, {9}});
    REQUIRE(waitFor([&] { return !verification.alarm().isEmpty(); }));
    CHECK(verification.alarm() == "rank 2, epoch 1, step 2, slot 2: planned 4, trained 9");
    CHECK(verification.confirmed(2, 0) == 2);
    run.reset();
    CHECK(verification.alarm().isEmpty());
}

TEST_CASE("the result reported at the end of a run is used") {
    RunModel run;
    Verification verification(run);
    start(run);
    RunEnded end;
    end.state = RunOutcome::kFinished;
    end.planVerified = false;
    end.planMismatch = "rank 1, epoch 7, step 2, slot 2: planned 4, trained 9";
    feed(run, end);
    REQUIRE(waitFor([&] { return !verification.alarm().isEmpty(); }));
    CHECK(verification.sentence() == "Not as planned: rank 1, epoch 7, step 2, slot 2: planned 4, trained 9");
}

TEST_CASE("progress in the visible plan follows the step count, or the reported samples") {
    RunModel run;
    Verification verification(run);
    start(run);
    StepsFrame frame;
    frame.rank = 1;
    frame.step = {1, 2, 3};  // two steps per epoch: the third step is the first one of epoch 1
    frame.loss = {1, 1, 1};
    frame.samples = {2, 1, 2};
    frame.endUs = {10, 20, 30};
    feed(run, frame);
    feed(run, ConsumedIndices{1, 1, 3, 0, {6, 8}});  // torch.randperm(10) seeded with 1: 5 6 1 2 0 8 9 3 7 4
    REQUIRE(waitFor([&] { return verification.confirmed(1, 1) == 2; }));
    REQUIRE(waitFor([&] { return run.data().ranks()[1].step == 3; }));
    ShardSpec spec = tenOnFour();
    const RunProgress first = runProgress(sceneOf(spec), run.data(), verification);
    REQUIRE(first.ranks.size() == 4);
    CHECK(first.ranks[1].done == 3);
    CHECK(first.ranks[1].underway == 0);
    CHECK(first.ranks[0].done == 0);
    CHECK(first.ranks[0].underway == 2);
    CHECK(first.liveEpoch == 0);  // rank 0 has not begun to train
    spec.epoch = 1;
    const RunProgress second = runProgress(sceneOf(spec), run.data(), verification);
    CHECK(second.ranks[1].done == 2);
    CHECK(second.ranks[1].compared == 2);
    CHECK(second.ranks[1].underway == 1);
    spec.seed = 5;
    CHECK(runProgress(sceneOf(spec), run.data(), verification).otherPlan);
}

TEST_CASE("an epoch is no longer verified once a wrong sample of it is found") {
    RunModel run;
    Verification verification(run);
    start(run);
    const ShardPlan plan = planOf(tenOnFour());
    for (int rank = 0; rank < 4; ++rank) feed(run, Consumed{rank, 0, 3, plan.hash(rank)});
    REQUIRE(waitFor([&] { return verification.state().verifiedEpochs == 1; }));
    feed(run, ConsumedIndices{2, 0, 2, 2, {9}});
    REQUIRE(waitFor([&] { return !verification.alarm().isEmpty(); }));
    CHECK(verification.state().verifiedEpochs == 0);
    CHECK(verification.isWrong(2, 0));
}

TEST_CASE("an epoch with a mismatch beyond the kept ones is also wrong") {
    RunModel run;
    Verification verification(run);
    RunConfig config = tenOnFourConfig();
    config.training.epochs = 300;
    start(run, config);
    // Number of epochs, with four wrong ranks in each.
    constexpr std::int64_t kEpochs = Verification::kMaxMismatches / 4 + 2;
    for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
        for (int rank = 0; rank < 4; ++rank) feed(run, Consumed{rank, epoch, 3, "0000"});
        REQUIRE(waitFor([&] { return verification.isAudited(epoch); }));
    }
    CHECK(verification.state().mismatches.size() == Verification::kMaxMismatches);
    CHECK(verification.isWrong(3, kEpochs - 1));
    CHECK(verification.state().verifiedEpochs == 0);
}

TEST_CASE("a run that ended within its first epoch has no comparison") {
    RunModel run;
    Verification verification(run);
    start(run);
    CHECK(waitFor([&] { return verification.sentence() == "The first epoch is not finished yet"; }));
    RunEnded end;
    end.state = RunOutcome::kStopped;
    feed(run, end);
    CHECK(waitFor([&] { return verification.sentence() == "No epoch was finished, so nothing was compared"; }));
}

TEST_CASE("a run that ended early is not simply verified") {
    RunModel run;
    Verification verification(run);
    start(run);
    const ShardPlan plan = planOf(tenOnFour());
    for (int rank = 0; rank < 4; ++rank) feed(run, Consumed{rank, 0, 3, plan.hash(rank)});
    REQUIRE(waitFor([&] { return verification.state().verifiedEpochs == 1; }));
    CHECK_FALSE(verification.isPartial());
    RunEnded end;
    end.state = GENERATE(RunOutcome::kStopped, RunOutcome::kFailed);
    feed(run, end);
    REQUIRE(waitFor([&] { return run.data().ended().has_value(); }));
    CHECK(verification.sentence() == "verified: 1 of 10 epochs on 4 ranks; the run did not finish");
    CHECK(verification.isPartial());
}

TEST_CASE("a live watched script without set_epoch is reported with the repeated order") {
    RunModel run;
    Verification verification(run);
    SeenPlan plan{.sampler = {}, .loader = {}, .datasetSize = 10, .ranks = 4};
    plan.sampler.setEpoch = false;
    plan.loader.batchSize = 2;
    verification.setWatched(WatchedPlan{plan, 0});
    RunConfig config = tenOnFourConfig();
    config.dataset.kind = DatasetKind::kExternal;
    config.dataset.size = 10;
    config.training.epochs = 1;  // of a live script: not known
    RunStarted started;
    started.worldSize = 4;
    started.trainingSamples = 10;
    started.config = config.toText();
    feed(run, started);
    const ShardPlan shards = planOf(tenOnFour());
    for (const int epoch : {0, 1}) {
        for (int rank = 0; rank < 4; ++rank) feed(run, Consumed{rank, epoch, 3, shards.hash(rank)});
        REQUIRE(waitFor([&] { return verification.state().verifiedEpochs == epoch + 1; }));
    }
    CHECK(verification.sentence() ==
          "as planned, 2 epochs on 4 ranks, but every epoch has the same order: set_epoch is never called");
}

TEST_CASE("a run without set_epoch matches the plan and is reported with the repeated order") {
    RunModel run;
    Verification verification(run);
    RunConfig config = tenOnFourConfig();
    config.sampler.setEpoch = false;
    start(run, config);
    const ShardPlan plan = planOf(tenOnFour());
    for (int rank = 0; rank < 4; ++rank) feed(run, Consumed{rank, 0, 3, plan.hash(rank)});
    REQUIRE(waitFor([&] { return verification.state().verifiedEpochs == 1; }));
    CHECK(verification.sentence() ==
          "as planned, 1 of 10 epochs on 4 ranks, but every epoch has the same order: set_epoch is never called");
    const RunProgress progress = runProgress(sceneOf(tenOnFour()), run.data(), verification);
    CHECK(progress.repeatsOrder);
    CHECK(progress.ranks[0].verified);
    CHECK(progressSentence(progress, sceneOf(tenOnFour())).endsWith("in the order of the first epoch."));
}
