// SPDX-License-Identifier: Apache-2.0
// Tests of the reports of ranks about a step that is inspected.
#include <cmath>

#include "support/catch.h"
#include "support/choices.h"
#include "train/replicas/gradient_cells.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig plainSgd() {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 1;
    config.loader.batchSize = 120;
    config.optimizer.momentum = 0;
    config.optimizer.lr = 0.25;
    return config;
}

const GradientView& the(const std::vector<RankReport>& ranks, std::size_t rank, GradientMoment moment,
                        std::int64_t step, std::vector<GradientView>& keep) {
    keep = ranks[rank].all<GradientView>();
    for (const GradientView& one : keep)
        if (one.moment == moment && one.step == step) return one;
    FAIL("rank " << rank << " reported nothing of " << nameOf(moment) << " at step " << step);
    return keep.front();
}

}  // namespace

TEST_CASE("the all-reduce gives the mean of the local gradients, and the weights move along it") {
    RunOptions options;
    options.commandsAfter[2] = {{ControlKind::kReplicas, 1}};
    const auto ranks = trainAsThreads(plainSgd(), options);
    std::vector<GradientView> keep[4];
    const GradientView& own0 = the(ranks, 0, GradientMoment::kOwn, 4, keep[0]);
    const GradientView& own1 = the(ranks, 1, GradientMoment::kOwn, 4, keep[1]);
    const GradientView& mean = the(ranks, 0, GradientMoment::kMean, 4, keep[2]);
    const GradientView& change = the(ranks, 0, GradientMoment::kChange, 4, keep[3]);
    REQUIRE(own0.names == std::vector<std::string>{"0.weight", "0.bias", "2.weight", "2.bias"});
    // Each value of a small tensor is reported. A cell of a large tensor can contain another value on each rank.
    const auto offset = static_cast<std::size_t>(own0.rows[0] * own0.columns[0]);
    REQUIRE(own0.columns[1] == 128);
    for (std::size_t i = offset; i < own0.cells.size(); ++i) {
        CHECK(mean.cells[i] == Approx((own0.cells[i] + own1.cells[i]) / 2).margin(1e-8));
        CHECK(change.cells[i] == Approx(-0.25 * mean.cells[i]).margin(1e-6));
    }
    CHECK(change.norm == Approx(0.25 * mean.norm).epsilon(1e-4));
    REQUIRE(own0.ring.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(mean.ring[i] == Approx((own0.ring[i] + own1.ring[i]) / 2).margin(1e-8));
    // |a + b|^2 = 4 |mean|^2. From this follows the angle between each gradient and the mean.
    std::vector<GradientView> more;
    const GradientView& mean1 = the(ranks, 1, GradientMoment::kMean, 4, more);
    const double dot = (4 * mean.norm * mean.norm - own0.norm * own0.norm - own1.norm * own1.norm) / 2;
    CHECK(mean.cosine == Approx((own0.norm * own0.norm + dot) / 2 / (own0.norm * mean.norm)).margin(1e-6));
    CHECK(mean1.cosine == Approx((own1.norm * own1.norm + dot) / 2 / (own1.norm * mean.norm)).margin(1e-6));
    CHECK(mean1.cells.empty());  // rank 0 reports the cells for all ranks
    CHECK(ranks[1].all<GradientView>().back().checksums == change.checksums);
}

TEST_CASE("with several inspected steps all report norms, and the last one reports everything") {
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kReplicas, 3}};
    const auto views = trainAsThreads(plainSgd(), options)[1].all<GradientView>();
    std::vector<std::string> reported;
    for (const GradientView& one : views)
        reported.push_back(textOf(one.moment) + " " + std::to_string(one.step) + (one.cells.empty() ? "" : " whole"));
    CHECK(reported ==
          std::vector<std::string>{"own 3", "mean 3", "own 4", "mean 4", "own 5 whole", "mean 5", "change 5"});
}

TEST_CASE("every pause after a phase shows the state of the step") {
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kPause}};
    const ControlCommand phase{ControlKind::kPhase};
    options.commandsWhilePaused = {phase, phase, phase, phase, phase, {ControlKind::kResume}};
    const auto ranks = trainAsThreads(plainSgd(), options);
    std::vector<std::string> reported;
    for (const GradientView& one : ranks[0].all<GradientView>())
        reported.push_back(textOf(one.moment) + " " + std::to_string(one.step));
    CHECK(reported == std::vector<std::string>{"own 3", "mean 3", "change 3"});
}

TEST_CASE("models too large to inspect are refused in one sentence") {
    RunConfig config = plainSgd();
    config.model.hidden = {4096};
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kReplicas, 1}};
    const auto ranks = trainAsThreads(config, options);
    CHECK(ranks[0].all<GradientView>().empty());
    std::string said;
    for (const LogLine& line : ranks[0].all<LogLine>()) said += line.text;
    CHECK(said.find("up to 200,000 parameters; this one has 307210") != std::string::npos);
}

TEST_CASE("a large tensor's cell is the value of its block that is furthest from zero") {
    const std::vector<float> values{1, -5, 2, 0, 0, 0, 3, 4};
    const GradientCells all = cellsOf(values, Shape{2, 4}, 8);
    CHECK(all.rows == 2);
    CHECK(all.columns == 4);
    CHECK(all.values == std::vector<double>{1, -5, 2, 0, 0, 0, 3, 4});
    const GradientCells fewer = cellsOf(values, Shape{2, 4}, 4);
    CHECK(fewer.rows == 2);
    CHECK(fewer.columns == 2);
    CHECK(fewer.values == std::vector<double>{-5, 2, 0, 4});
    CHECK(cellsOf(values, Shape{8}, 8).rows == 1);
    CHECK(tensorChecksum(values) != tensorChecksum(std::vector<float>{1, -5, 2, 0, 0, 0, 4, 3}));
}

// Compares the ranks' own gradients and their mean: what FSDP gathers from shards must equal the complete gradients of
// DDP.
TEST_CASE("inspected sharded gradients are bit-identical to those of ddp") {
    RunConfig config = plainSgd();
    RunOptions options;
    options.commandsAfter[2] = {{ControlKind::kReplicas, 1}};
    const auto whole = trainAsThreads(config, options);
    options.commandsAfter = {{3, {{ControlKind::kReplicas, 1}}}};  // the step before does not transfer the command
    config.parallel.strategy = StrategyKind::kFsdp;
    choose(config.fsdp.shard, GENERATE("optimizer", "gradients", "parameters"));
    const auto sharded = trainAsThreads(config, options);
    for (const std::size_t rank : {0, 1}) {
        const auto expected = whole[rank].all<GradientView>(), found = sharded[rank].all<GradientView>();
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            CHECK(found[i].moment == expected[i].moment);
            CHECK(found[i].cells == expected[i].cells);
            CHECK(found[i].norm == expected[i].norm);
            CHECK(found[i].checksums == expected[i].checksums);
        }
    }
}

// Ranks 0 and 1 have the first stage, 2 and 3 the second one. The tensors of a stage equal those of one rank that
// accumulates.
TEST_CASE("with replicated pipelines the ranks of each stage report their own layers") {
    RunConfig config = plainSgd();
    config.parallel.worldSize = 4;
    config.parallel.strategy = StrategyKind::kPipeline;
    config.mesh = {.replicate = 2, .shard = 1, .pipeline = 2};
    choose(config.pipeline.schedule, GENERATE("1f1b", "zero_bubble"));
    config.pipeline.microBatches = 4;
    RunOptions options;
    options.commandsAfter[3] = {{ControlKind::kReplicas, 1}};
    const auto ranks = trainAsThreads(config, options);
    std::vector<GradientView> keep[6];
    for (const std::size_t stage : {0, 1}) {
        const GradientView& own0 = the(ranks, 2 * stage, GradientMoment::kOwn, 4, keep[0]);
        const GradientView& own1 = the(ranks, 2 * stage + 1, GradientMoment::kOwn, 4, keep[1]);
        const GradientView& mean = the(ranks, 2 * stage, GradientMoment::kMean, 4, keep[2]);
        CHECK(own0.names.size() == 2);
        CHECK(own0.names.front() == (stage == 0 ? "0.weight" : "2.weight"));
        const auto bias = static_cast<std::size_t>(own0.rows[0] * own0.columns[0]);
        for (std::size_t i = bias; i < own0.cells.size(); ++i)
            CHECK(mean.cells[i] == Approx((own0.cells[i] + own1.cells[i]) / 2).margin(1e-7));
        CHECK(the(ranks, 2 * stage, GradientMoment::kChange, 4, keep[3]).checksums ==
              the(ranks, 2 * stage + 1, GradientMoment::kChange, 4, keep[4]).checksums);
    }
}

TEST_CASE("in slow motion every step is inspected") {
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kRate, 2}};
    options.commandsAfter[4] = {{ControlKind::kRate, 0}};
    std::vector<std::string> reported;
    for (const GradientView& one : trainAsThreads(plainSgd(), options)[0].all<GradientView>())
        reported.push_back(textOf(one.moment) + " " + std::to_string(one.step) + (one.cells.empty() ? "" : " whole"));
    CHECK(reported == std::vector<std::string>{"own 3 whole", "mean 3 whole", "change 3 whole", "own 4 whole",
                                               "mean 4 whole", "change 4 whole"});
}

TEST_CASE("without replicas an inspection is refused with the reason") {
    RunConfig config = plainSgd();
    config.parallel.strategy = StrategyKind::kPipeline;
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kReplicas, 1}};
    const auto ranks = trainAsThreads(config, options);
    CHECK(ranks[0].all<GradientView>().empty());
    std::string said;
    for (const LogLine& line : ranks[0].all<LogLine>()) said += line.text;
    CHECK(said.find("each stage of the pipeline exists once") != std::string::npos);
}

TEST_CASE("summed gradients train as a learning rate that is multiplied by the world size") {
    RunConfig mean = plainSgd();
    RunConfig sum = mean;
    sum.stepPitfalls.sumGradients = true;
    // Half of the learning rate with gradients twice as large gives the same bits.
    sum.optimizer.lr = mean.optimizer.lr / 2;
    const auto right = trainAsThreads(mean);
    const auto wrong = trainAsThreads(sum);
    CHECK(right[0].parameters == wrong[0].parameters);
    CHECK(wrong[0].steps[1].gradientNorm == Approx(2 * right[0].steps[1].gradientNorm).epsilon(1e-6));
}

TEST_CASE("with local metrics each rank reports its own accuracy, and their mean is that of all") {
    RunConfig config = plainSgd();
    config.stepPitfalls.localMetrics = true;
    const auto ranks = trainAsThreads(config);
    const auto all = ranks[0].results("val");
    REQUIRE(all.size() == 1);
    double correct = 0;
    std::int64_t samples = 0;
    for (const RankReport& rank : ranks) {
        REQUIRE(rank.all<LocalResult>().size() == 1);
        const LocalResult local = rank.all<LocalResult>().front();
        correct += local.accuracy * static_cast<double>(local.samples);
        samples += local.samples;
    }
    CHECK(samples == all[0].samples);
    CHECK(correct / static_cast<double>(samples) == Approx(all[0].accuracy).margin(1e-12));
}
