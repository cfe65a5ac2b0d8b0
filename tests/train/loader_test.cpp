// SPDX-License-Identifier: Apache-2.0
// Tests that the settings of the data loader do not change what is trained.
#include "comm/ranks_as_threads.h"
#include "data/loading/channel_moments.h"
#include "support/catch.h"
#include "support/choices.h"
#include "train/batches/batch_loader.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig augmented(const std::string& model) {
    RunConfig config;
    choose(config.model.kind, model);
    config.parallel.worldSize = 2;
    config.training.epochs = 2;
    config.loader.randomCropPadding = 1;
    config.loader.horizontalFlip = true;
    config.loader.normalize = true;
    config.optimizer.lr = 0.01;
    return config;
}

std::vector<double> losses(const RankReport& rank) {
    std::vector<double> all;
    for (const StepRecord& step : rank.steps) all.push_back(step.loss);
    return all;
}

}  // namespace

TEST_CASE("losses and weights have the same bits for any number of workers") {
    for (const char* model : {"mlp", "simple_cnn"}) {
        RunConfig config = augmented(model);
        const auto alone = trainAsThreads(config);
        for (const std::int64_t workers : {1, 4}) {
            config.loader.numWorkers = workers;
            config.loader.persistentWorkers = workers == 4;
            const auto helped = trainAsThreads(config);
            for (std::size_t rank = 0; rank < 2; ++rank) {
                CHECK(losses(helped[rank]) == losses(alone[rank]));
                CHECK(helped[rank].parameters == alone[rank].parameters);
                CHECK(helped[rank].all<Consumed>().back().sha256 == alone[rank].all<Consumed>().back().sha256);
                CHECK(helped[rank].results("val").size() == alone[rank].results("val").size());
            }
            CHECK(helped[0].results("val").back().loss == alone[0].results("val").back().loss);
        }
    }
}

TEST_CASE("transforms change the trained weights") {
    RunConfig config = augmented("mlp");
    const auto with = trainAsThreads(config);
    config.loader = LoaderConfig();
    const auto without = trainAsThreads(config);
    CHECK(losses(with[0]).front() != losses(without[0]).front());
}

TEST_CASE("the scale of the channels is equal for any number of ranks") {
    const DataSplit data = loadDataset({}).value();
    const ChannelScale alone = channelScale(*data.training);
    for (const int ranks : {1, 2, 3}) {
        std::vector<ChannelScale> found(static_cast<std::size_t>(ranks));
        onLocalRanks(ranks, [&](Communicator& communicator) {
            found[static_cast<std::size_t>(communicator.rank())] = sharedChannelScale(*data.training, communicator);
        });
        for (const ChannelScale& scale : found) {
            CHECK(scale.mean == alone.mean);
            CHECK(scale.deviation == alone.deviation);
        }
    }
}

TEST_CASE("stopping a run with workers ends it and the workers at once") {
    RunConfig config = augmented("mlp");
    config.loader.numWorkers = 2;
    config.loader.persistentWorkers = true;
    RunOptions options;
    options.stopAfter = [](std::int64_t step) { return step == 5; };
    for (const RankReport& rank : trainAsThreads(config, options)) {
        CHECK(rank.outcome == TrainOutcome::kStopped);
        CHECK(rank.steps.size() == 6);
    }
}
