// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "support/latest_with_cells.h"
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

void addChecksums(RunData& run, std::int64_t step, const std::vector<std::int64_t>& biases) {
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

TEST_CASE("a run that continues with fewer ranks does not compare checksums of lost ranks") {
    RunData run = runOf(4);
    run.apply(Replica{3, 5, "lost"});
    RunStarted fewer;
    fewer.worldSize = 3;
    fewer.stepsBefore = 1;
    REQUIRE((run.apply(fewer) & kRanksChanged) != 0);
    run.apply(Replica{0, 5, "a"});
    run.apply(Replica{1, 5, "a"});
    CHECK_FALSE(run.ranks()[0].inSync);
    run.apply(Replica{2, 5, "b"});
    CHECK(run.ranks()[0].inSync == true);
    CHECK(run.ranks()[2].inSync == false);
}

TEST_CASE("diverged replicas are reported with rank, first step and tensor until they are equal again") {
    RunData run = runOf(4);
    CHECK_FALSE(run.replicas().state());
    addChecksums(run, 12, {7, 7, 7, 7});
    CHECK(run.replicas().state()->identical);
    addChecksums(run, 24, {7, 7, 8, 7});
    addChecksums(run, 36, {9, 9, 8, 9});
    const ReplicaState apart = *run.replicas().state();
    CHECK_FALSE(apart.identical);
    CHECK(apart.step == 36);
    CHECK(apart.sinceStep == 24);
    CHECK(apart.tensor == "0.bias");
    CHECK(apart.ranks == std::vector<int>{2});
    addChecksums(run, 48, {9, 9, 9, 9});
    CHECK(run.replicas().state()->identical);
}

TEST_CASE("an incomplete set of checksums makes no statement about replicas") {
    RunData run = runOf(4);
    addChecksums(run, 12, {7, 8});
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
    CHECK(latestWithCells(replicas)->step == 2000);
    std::size_t whole = 0;
    for (const auto& [number, step] : replicas.steps()) whole += step.hasCells();
    CHECK(whole == ReplicaData::kMaxWholeSteps);
    CHECK(run.apply(viewOf(2, 2001, GradientMoment::kOwn, {1})) == 0U);
}

namespace {

// Replicas of one step; each has its hash and the checksums of two tensors.
std::map<int, Replica> replicasOf(std::int64_t step, const std::vector<std::vector<std::int64_t>>& sums,
                                  std::vector<std::string> names = {"0.weight", "0.bias"}) {
    std::map<int, Replica> all;
    for (std::size_t rank = 0; rank < sums.size(); ++rank) {
        std::string hash;
        for (const std::int64_t sum : sums[rank]) hash += std::to_string(sum) + ' ';
        all[static_cast<int>(rank)] = {static_cast<int>(rank), step, hash, names, sums[rank]};
    }
    return all;
}

}  // namespace

TEST_CASE("the most frequent replica is the usual one, and at equal frequency that of the lowest rank") {
    const auto apart = [](const std::vector<std::vector<std::int64_t>>& sums) {
        ReplicaData data(static_cast<int>(sums.size()));
        data.compare(replicasOf(5, sums));
        return data.state()->ranks;
    };
    CHECK(apart({{1, 7}, {1, 8}}) == std::vector<int>{1});
    CHECK(apart({{1, 8}, {1, 7}, {1, 7}, {1, 8}}) == std::vector<int>{1, 2});
    CHECK(apart({{1, 8}, {1, 7}, {1, 7}}) == std::vector<int>{0});
    CHECK(apart({{1, 8}}).empty());
}

TEST_CASE("diverged replicas keep the step and the tensor of their first difference") {
    ReplicaData data(2);
    data.compare({});
    CHECK_FALSE(data.state());
    data.compare(replicasOf(10, {{1, 7}, {1, 8}}));
    CHECK((data.state()->sinceStep == 10 && data.state()->tensor == "0.bias"));
    data.compare(replicasOf(20, {{1, 7}, {2, 8}}));
    CHECK((data.state()->step == 20 && data.state()->sinceStep == 10 && data.state()->tensor == "0.bias"));
    data.compare(replicasOf(15, {{1, 7}, {1, 7}}));  // the report arrives after that of a later step
    CHECK((data.state()->step == 20 && !data.state()->identical));
    data.compare(replicasOf(20, {{1, 7}, {1, 7}}));
    CHECK((data.state()->identical && data.state()->sinceStep == 0 && data.state()->tensor.empty()));
    data.compare(replicasOf(30, {{1, 7}, {2, 7}}));
    CHECK((data.state()->sinceStep == 30 && data.state()->tensor == "0.weight"));
    // Tensors that differ are named only if the checksums of tensors are known.
    ReplicaData unnamed(2);
    auto hashes = replicasOf(10, {{1}, {2}}, {});
    for (auto& [rank, replica] : hashes) replica.checksums.clear();
    unnamed.compare(hashes);
    CHECK((unnamed.state()->tensor.empty() && unnamed.state()->sinceStep == 10));
    unnamed.compare(replicasOf(20, {{1, 7}, {1, 8}}));
    CHECK((unnamed.state()->tensor == "0.bias" && unnamed.state()->sinceStep == 10));
}

TEST_CASE("ranks with other tensors are compared among themselves") {
    auto stages = replicasOf(5, {{1, 7}, {1, 7}, {3, 4}, {3, 5}});
    stages[2].names = stages[3].names = {"2.weight", "2.bias"};
    ReplicaData data(4);
    data.compare(stages);
    CHECK(data.state()->ranks == std::vector<int>{3});
    CHECK(data.state()->tensor == "2.bias");
}

TEST_CASE("views of gradients are kept by moment and rank, and changes are compared once all ranks have sent theirs") {
    ReplicaData data(2);
    CHECK_FALSE(data.apply(viewOf(-1, 3, GradientMoment::kOwn, {1})));
    CHECK_FALSE(data.apply(viewOf(2, 3, GradientMoment::kOwn, {1})));
    CHECK(data.steps().empty());
    GradientView change = viewOf(1, 3, GradientMoment::kChange, {6});
    change.epoch = 4;
    change.checksums = {11};
    CHECK(data.apply(change));
    CHECK(data.apply(viewOf(0, 3, GradientMoment::kMean, {5})));
    const InspectedStep& step = data.steps().at(3);
    CHECK((step.step == 3 && step.epoch == 4));
    CHECK((step.own.size() == 2 && step.mean.size() == 2 && step.change.size() == 2));
    CHECK((!step.own[0] && step.mean[0] && !step.mean[1] && !step.change[0] && step.change[1]));
    CHECK((step.meanWithCells()->cells == std::vector<double>{5} &&
           step.changeWithCells()->cells == std::vector<double>{6}));
    CHECK((!step.hasCells() && latestWithCells(data) == nullptr));
    CHECK(data.apply(viewOf(1, 3, GradientMoment::kOwn, {8})));
    CHECK((step.hasCells() && latestWithCells(data) == &step));
    CHECK_FALSE(data.state());
    change.rank = 0;
    change.checksums = {12};
    CHECK(data.apply(change));
    CHECK((data.state()->step == 3 && data.state()->ranks == std::vector<int>{1} && data.state()->tensor == "w"));
    // A view with norms only has no cells.
    ReplicaData norms(1);
    CHECK(norms.apply(viewOf(0, 3, GradientMoment::kMean, {})));
    CHECK((norms.steps().at(3).meanWithCells() == nullptr && latestWithCells(norms) == nullptr));
}

TEST_CASE("the oldest views are forgotten first, their cells before their norms") {
    ReplicaData data(1);
    constexpr auto kSteps = static_cast<std::int64_t>(ReplicaData::kMaxSteps);
    for (std::int64_t step = 2; step <= kSteps + 1; ++step)
        for (const GradientMoment moment : {GradientMoment::kOwn, GradientMoment::kMean, GradientMoment::kChange})
            CHECK(data.apply(viewOf(0, step, moment, {1, 2})));
    CHECK_FALSE(data.apply(viewOf(0, 1, GradientMoment::kOwn, {1})));  // older than all of the 1,024
    CHECK(data.apply(viewOf(0, 2, GradientMoment::kOwn, {})));
    const auto cellsAt = [&data](std::int64_t step) {
        const InspectedStep& one = data.steps().at(step);
        return std::vector<std::size_t>{one.own[0]->cells.size(), one.mean[0]->cells.size(),
                                        one.change[0]->cells.size()};
    };
    CHECK(cellsAt(kSteps + 1 - 7) == std::vector<std::size_t>{2, 2, 2});  // the latest eight steps
    CHECK(cellsAt(kSteps + 1 - 8) == std::vector<std::size_t>{0, 0, 0});
    CHECK((data.steps().at(5).own[0]->rows.empty() && data.steps().at(5).mean[0]->columns.empty()));
    CHECK(data.apply(viewOf(0, kSteps + 2, GradientMoment::kOwn, {})));
    CHECK((data.steps().size() == ReplicaData::kMaxSteps && data.steps().begin()->first == 3));
    CHECK(latestWithCells(data)->step == kSteps + 1);
}
