// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "telemetry/data/run_data.h"

using namespace ringside;

namespace {

RunData runOf(int ranks) {
    RunData run;
    RunStarted started;
    started.worldSize = ranks;
    run.apply(started);
    return run;
}

void tell(RunData& run, std::int64_t step, const std::vector<std::int64_t>& biases) {
    for (std::size_t rank = 0; rank < biases.size(); ++rank)
        run.apply(Replica{static_cast<int>(rank),
                          step,
                          "hash of " + std::to_string(biases[rank]),
                          {"0.weight", "0.bias"},
                          {1, biases[rank]}});
}

GradientView viewOf(int rank, std::int64_t step, GradientMoment moment, std::vector<double> cells) {
    GradientView view{.rank = rank, .step = step, .moment = moment};
    view.names = {"w"};
    view.rows = {1};
    view.columns = {static_cast<std::int64_t>(cells.size())};
    view.cells = std::move(cells);
    return view;
}

}  // namespace

TEST_CASE("diverged replicas are reported with rank, first step and tensor until they are equal again") {
    RunData run = runOf(4);
    CHECK_FALSE(run.replicas().state());
    tell(run, 12, {7, 7, 7, 7});
    CHECK(run.replicas().state()->identical);
    tell(run, 24, {7, 7, 8, 7});
    tell(run, 36, {9, 9, 8, 9});
    const ReplicaState apart = *run.replicas().state();
    CHECK_FALSE(apart.identical);
    CHECK(apart.step == 36);
    CHECK(apart.sinceStep == 24);
    CHECK(apart.tensor == "0.bias");
    CHECK(apart.ranks == std::vector<int>{2});
    tell(run, 48, {9, 9, 9, 9});
    CHECK(run.replicas().state()->identical);
}

TEST_CASE("an incomplete set of checksums makes no statement about replicas") {
    RunData run = runOf(4);
    tell(run, 12, {7, 8});
    CHECK_FALSE(run.replicas().state());
}

TEST_CASE("cells are kept only for the latest inspected steps, norms for many") {
    RunData run = runOf(2);
    for (std::int64_t step = 1; step <= 2000; ++step) {
        CHECK(run.apply(viewOf(0, step, GradientMoment::kOwn, {1, 2})) == kReplicasChanged);
        run.apply(viewOf(1, step, GradientMoment::kOwn, {3, 4}));
    }
    const ReplicaData& replicas = run.replicas();
    CHECK(replicas.steps().size() == ReplicaData::kMaxSteps);
    CHECK(replicas.latestWhole()->step == 2000);
    std::size_t whole = 0;
    for (const auto& [number, step] : replicas.steps()) whole += step.hasCells();
    CHECK(whole == ReplicaData::kMaxWholeSteps);
    CHECK(run.apply(viewOf(2, 2001, GradientMoment::kOwn, {1})) == 0U);
}
