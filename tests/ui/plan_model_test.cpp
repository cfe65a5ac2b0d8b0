// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/plan_model.h"

#include "models/experiment_model.h"
#include "support/catch.h"
#include "wait_for.h"

using namespace ringside;

namespace {

RunConfig syntheticConfig(qint64 samples) {
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.size = samples + 1;  // one sample is for validation
    config.dataset.features = 1;
    config.dataset.targets = 1;
    config.dataset.validationFraction = 0.001;
    config.model.kind = ModelKind::kToyLinear;
    config.loader.batchSize = 2;
    return config;
}

// Returns the indices of the rank, as list(sampler) returns them.
std::vector<std::int64_t> indicesOf(const PlanModel& model, int rank) {
    return model.plan()->indices(rank);
}

}  // namespace

TEST_CASE("the plan follows the epoch cursor and the configuration as they change") {
    ExperimentModel experiment;
    experiment.replace(syntheticConfig(10), {});
    PlanModel model(experiment);
    REQUIRE(waitFor([&] { return model.plan() != nullptr && model.plan()->spec().datasetSize == 10; }));
    CHECK(indicesOf(model, 0) == std::vector<std::int64_t>{4, 3, 6});  // torch.randperm(10), seed 0
    CHECK(indicesOf(model, 2) == std::vector<std::int64_t>{7, 0, 4});

    model.setEpoch(1);
    CHECK(indicesOf(model, 0) == std::vector<std::int64_t>{5, 0, 7});  // seed 1: 5 6 1 2 0 8 9 3 7 4
    RunConfig next = experiment.config();
    next.parallel.worldSize = 2;
    experiment.edit(next, "parallel.world_size");
    CHECK(indicesOf(model, 0) == std::vector<std::int64_t>{5, 1, 0, 9, 7});
}

TEST_CASE("without set_epoch every epoch has the order of epoch 0") {
    ExperimentModel experiment;
    RunConfig config = syntheticConfig(10);
    config.sampler.setEpoch = false;
    experiment.replace(config, {});
    PlanModel model(experiment);
    REQUIRE(waitFor([&] { return model.plan() != nullptr && model.plan()->spec().datasetSize == 10; }));
    model.setEpoch(7);
    CHECK(indicesOf(model, 0) == std::vector<std::int64_t>{4, 3, 6});
}

TEST_CASE("the epoch cursor stays within the experiment's epochs") {
    ExperimentModel experiment;
    experiment.replace(syntheticConfig(10), {});
    PlanModel model(experiment);
    model.setEpoch(99);
    CHECK(model.epoch() == 9);
    model.setEpoch(-5);
    CHECK(model.epoch() == 0);
    model.setEpoch(8);
    RunConfig next = experiment.config();
    next.training.epochs = 3;
    experiment.edit(next, "training.epochs");
    CHECK(model.epoch() == 2);
}

TEST_CASE("a large plan is computed on a worker thread, and the last request wins") {
    ExperimentModel experiment;
    experiment.replace(syntheticConfig(50'000), {});
    PlanModel model(experiment);
    REQUIRE(waitFor([&] { return model.plan() != nullptr; }));
    const ShardPlan* old = model.plan();
    CHECK(old->spec().epoch == 0);
    for (int epoch = 1; epoch <= 5; ++epoch) model.setEpoch(epoch);
    CHECK(model.isWorking());
    CHECK(model.plan()->spec().epoch == 0);  // the previous plan is still shown
    REQUIRE(waitFor([&] { return !model.isWorking(); }));
    CHECK(model.plan()->spec().epoch == 5);
    model.setEpoch(0);  // this plan is cached, so it is shown immediately
    CHECK(!model.isWorking());
    CHECK(model.plan()->spec().epoch == 0);
}

TEST_CASE("a world size that cannot be planned is a problem with a remedy, and leaves no plan") {
    ExperimentModel experiment;
    experiment.replace(syntheticConfig(10), {});
    PlanModel model(experiment);
    REQUIRE(waitFor([&] { return model.plan() != nullptr && model.plan()->spec().datasetSize == 10; }));
    RunConfig next = experiment.config();
    next.parallel.worldSize = 1'000'000'000;
    experiment.edit(next, "parallel.world_size");
    CHECK(model.plan() == nullptr);
    CHECK(model.problem().contains("1000000000"));
    next.parallel.worldSize = 4;
    experiment.edit(next, "parallel.world_size");
    CHECK(model.plan() != nullptr);
    CHECK(model.problem().isEmpty());
}

TEST_CASE("a selected sample is followed to its position in another epoch") {
    ExperimentModel experiment;
    experiment.replace(syntheticConfig(10), {});
    PlanModel model(experiment);
    REQUIRE(waitFor([&] { return model.plan() != nullptr && model.plan()->spec().datasetSize == 10; }));
    model.select(9);  // epoch 0: position 5, so rank 1, slot 1
    REQUIRE(model.selectedPlace());
    CHECK(model.selectedPlace()->rank == 1);
    CHECK(model.selectedPlace()->slot == 1);
    model.setEpoch(1);  // position 6: rank 2, slot 1
    CHECK(model.selectedPlace()->rank == 2);
    RunConfig next = experiment.config();
    next.dataset.size = 6;
    experiment.edit(next, "dataset.size");
    REQUIRE(waitFor([&] { return model.plan() != nullptr && model.plan()->spec().datasetSize == 5; }));
    CHECK(!model.selectedSample());  // the data set has no sample 9 any more
}
