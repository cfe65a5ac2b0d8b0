// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <limits>

#include "config/config_fields.h"
#include "support/catch.h"

using namespace ringside;

namespace {

// Returns the only problem that a change to the default experiment causes.
std::string problemAfter(const std::function<void(RunConfig&)>& change) {
    RunConfig config;
    change(config);
    const Problems problems = config.validate();
    REQUIRE(problems.size() == 1);
    return problems.front().text();
}

}  // namespace

TEST_CASE("the built-in experiment has no problems") {
    CHECK(RunConfig().validate().empty());
    CHECK(RunConfig().validateForTraining().empty());
}

TEST_CASE("a value out of range is refused with its limit and remedy") {
    CHECK(problemAfter([](RunConfig& c) { c.parallel.worldSize = 0; }) ==
          "parallel.world_size is 0; the minimum is 1: choose a value from 1 to 4096");
    CHECK(problemAfter([](RunConfig& c) { c.parallel.worldSize = 1000000000; }) ==
          "parallel.world_size is 1000000000; the maximum is 4096: choose a value from 1 to 4096");
    CHECK(problemAfter([](RunConfig& c) { c.optimizer.lr = 0; }) ==
          "optimizer.lr is 0.0; it must be above 0: choose a value above 0 up to 1000000");
    CHECK(problemAfter([](RunConfig& c) { c.optimizer.lr = std::nan(""); }).find("must be finite") !=
          std::string::npos);
    CHECK(problemAfter([](RunConfig& c) { c.optimizer.momentum = 1; }).find("the maximum is 0.999999") !=
          std::string::npos);
    CHECK(problemAfter([](RunConfig& c) { c.loader.batchSize = 0; }).find("the minimum is 1") != std::string::npos);
    CHECK(problemAfter([](RunConfig& c) { c.training.epochs = 1000001; }).find("the maximum is 1000000") !=
          std::string::npos);
    CHECK(problemAfter([](RunConfig& c) { c.parallel.timeoutSeconds = 0.5; }).find("the minimum is 1") !=
          std::string::npos);
    CHECK(problemAfter([](RunConfig& c) {
              c.model.hidden = {128, 0};
          }) == "model.hidden is a list that contains 0; the minimum is 1: choose a value from 1 to 65536");
    CHECK(problemAfter([](RunConfig& c) { c.model.hidden.assign(65, 1); }).find("65 layers") != std::string::npos);
}

TEST_CASE("a loader that PyTorch's DataLoader refuses is refused with the same text") {
    CHECK(problemAfter([](RunConfig& c) { c.loader.numWorkers = -1; }) ==
          "loader.num_workers is -1; PyTorch raises: num_workers option should be non-negative: choose a "
          "value from 0 to 128");
    CHECK(problemAfter([](RunConfig& c) { c.loader.prefetchFactor = 3; }) ==
          "loader.prefetch_factor is 3, but loader.num_workers is 0; PyTorch raises: prefetch_factor option could only "
          "be specified in multiprocessing: set loader.num_workers above 0, or omit the field that "
          "needs workers");
    CHECK(problemAfter([](RunConfig& c) {
              c.loader.persistentWorkers = true;
          }).find("persistent_workers option needs num_workers > 0") != std::string::npos);
    CHECK(problemAfter([](RunConfig& c) {
              c.loader.numWorkers = 1;
              c.loader.prefetchFactor = 0;
          }).find("is 0; PyTorch raises: prefetch_factor option should be") != std::string::npos);
    RunConfig config;
    config.loader.pinMemory = true;
    CHECK(config.validate().empty());
    config.loader.numWorkers = 2;
    config.loader.prefetchFactor = 7;
    config.loader.persistentWorkers = true;
    CHECK(config.validate().empty());
}

TEST_CASE("an unknown choice lists the choices") {
    CHECK(RunConfig().set("parallel.backend=glo").front().text() ==
          "parallel.backend is \"glo\"; the choices are auto, shm, gloo, mpi, nccl: did you mean gloo?");
    CHECK(RunConfig().set("optimizer.kind=adm").front().text() ==
          "optimizer.kind is \"adm\"; the choices are sgd, adam, adamw: did you mean adam?");
    CHECK(RunConfig().set("parallel.strategy=ddo").front().text() ==
          "parallel.strategy is \"ddo\"; the choices are ddp, data_parallel, model_parallel, pipeline, fsdp: did you "
          "mean ddp?");
}

TEST_CASE("the learning rate grows with the global batch only if scale_lr is linear") {
    RunConfig config;
    config.optimizer.lr = 0.25;
    config.parallel.worldSize = 8;
    config.training.accumulateSteps = 2;
    CHECK(config.globalBatch() == 512);  // 32 x 8 x 2
    CHECK(config.scaledLearningRate() == 0.25);
    config.optimizer.scaleLr = RateScaling::kLinear;
    CHECK(config.scaledLearningRate() == 4);  // 512 is 16 times the 32 it was chosen for
    config.optimizer.scaleBaseBatch = 1024;
    CHECK(config.scaledLearningRate() == 0.125);
}

TEST_CASE("a model of layers needs a list of them") {
    CHECK(problemAfter([](RunConfig& c) {
              c.model.kind = ModelKind::kLayers;
          }).find("model.layers is empty: write the list as [{") == 0);
    CHECK(problemAfter([](RunConfig& c) {
              c.model.kind = ModelKind::kLayers;
              c.model.layers = "linear 10";
          }).find("model.layers is not a list of layers: write the list as [{") == 0);
}

TEST_CASE("fields that contradict each other are found") {
    CHECK(problemAfter([](RunConfig& c) {
              c.schedule.kind = RateScheduleKind::kCosine;
              c.schedule.etaMin = 0.5;
          }) ==
          "schedule.eta_min is 0.5, which is above the learning rate of 0.1: lower schedule.eta_min, or raise "
          "optimizer.lr");

    CHECK(problemAfter([](RunConfig& c) { c.dataset.kind = DatasetKind::kCsv; }) ==
          "dataset.path is empty; a csv data set needs a file: set dataset.path to the CSV file");
    CHECK(problemAfter([](RunConfig& c) {
              c.optimizer.nesterov = true;
              c.optimizer.momentum = 0;
          }).find("optimizer.nesterov is true, which needs momentum above 0") == 0);
    CHECK(problemAfter([](RunConfig& c) {
              c.training.loss = LossKind::kMse;
          }).find("the digits data set has classes") != std::string::npos);
    CHECK(problemAfter([](RunConfig& c) {
              c.dataset.kind = DatasetKind::kSynthetic;
              c.training.loss = LossKind::kCrossEntropy;
          }).find("synthetic data has numbers") != std::string::npos);
    CHECK(problemAfter([](RunConfig& c) {
              c.dataset.kind = DatasetKind::kSynthetic;
              c.dataset.size = 2147483647;
              c.dataset.features = 1000000;
          }).find("random numbers") != std::string::npos);
    CHECK(problemAfter([](RunConfig& c) { c.dataset.kind = DatasetKind::kImageFolder; }) ==
          "dataset.path is empty; a data set of the kind image_folder needs one: name the file or directory");
    CHECK(problemAfter([](RunConfig& c) {
              c.dataset.kind = DatasetKind::kSynthetic;
              c.dataset.shape = SyntheticShape::kSpirals;
              c.dataset.classes = 50;
              c.dataset.size = 20;
          }) == "dataset.classes is 50, but there are only 20 samples: use fewer classes or more samples");
    CHECK(problemAfter([](RunConfig& c) {
              c.dataset.kind = DatasetKind::kSynthetic;
              c.dataset.shape = SyntheticShape::kImagenet;
              c.training.loss = LossKind::kMse;
          }) ==
          "training.loss is mse, but the data set has classes: set training.loss to auto or "
          "cross_entropy");
    CHECK(problemAfter([](RunConfig& c) { c.name = "  "; }).find("name is empty") == 0);
}

TEST_CASE("plans support 4096 ranks, training 64") {
    RunConfig config;
    config.parallel.worldSize = 65;
    CHECK(config.validate().empty());
    REQUIRE(config.validateForTraining().size() == 1);
    CHECK(config.validateForTraining().front().text() ==
          "parallel.world_size is 65; training runs at most 64 ranks: train with fewer ranks; only sample plans can be "
          "shown for up to 4096 ranks");
    config.parallel.worldSize = 64;
    CHECK(config.validateForTraining().empty());
}

TEST_CASE("every field has a help text and a default within its limits") {
    for (const ConfigField& field : configFields()) {
        CAPTURE(std::string(field.path));
        CHECK(field.help.size() >= 20);
        CHECK(field.help.back() == '.');
        CHECK((field.type == FieldType::kChoice) == !field.choices.empty());
        CHECK(findConfigField(field.path) == &field);
    }
    CHECK(findConfigField("loader") == nullptr);
}

TEST_CASE("step mistakes and a throttle are refused where they have no effect") {
    RunConfig config;
    config.stepPitfalls.sumGradients = true;
    CHECK(config.validate().empty());
    config.parallel.strategy = StrategyKind::kFsdp;
    CHECK(config.validate().front().text().find("but this mistake exists only with ddp") != std::string::npos);
    config.parallel.strategy = StrategyKind::kDdp;
    config.training.reduction = ReductionOrder::kCanonical;
    REQUIRE_FALSE(config.validate().empty());
    CHECK(config.validate().front().text().find("does not exist with training.reduction canonical") !=
          std::string::npos);
    RunConfig throttled;
    throttled.parallel.throttle.gflops = 1;
    CHECK(throttled.validate().empty());
    throttled.parallel.device = DeviceChoice::kCuda;
    CHECK(throttled.validate().front().text().find("throttles ranks on the CPU") != std::string::npos);
    throttled.parallel.device = DeviceChoice::kAuto;
    throttled.parallel.strategy = StrategyKind::kDataParallel;
    REQUIRE_FALSE(throttled.validate().empty());
    CHECK(throttled.validate().front().text().find("one process with several threads") != std::string::npos);
}
