// SPDX-License-Identifier: Apache-2.0
// The same experiment by Ringside and by its exported script under real PyTorch with Gloo: the same samples for every
// rank, the same initial weights to the last bit, losses within 1e-5 relative in every step.
#include <cmath>

#include "base/files.h"
#include "end_to_end/program.h"
#include "exported_run.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr double kTolerance = 1e-5;
constexpr double kHalfPoint = 0.005;

RunConfig digits(std::int64_t worldSize, std::int64_t epochs) {
    RunConfig config;
    config.parallel.worldSize = worldSize;
    config.training.epochs = epochs;
    config.parallel.timeoutSeconds = 120;  // other tests may keep the processors busy
    return config;
}

RunConfig toyModel(std::int64_t worldSize, std::int64_t epochs) {
    RunConfig config = digits(worldSize, epochs);
    config.dataset.kind = "synthetic";
    config.model.kind = "toy_linear";
    config.optimizer.lr = 0.01;
    return config;
}

void checkSameValidation(const TrainedTwice& runs) {
    const Json own = TrainedTwice::lastValidation(runs.ringside());
    const Json other = TrainedTwice::lastValidation(runs.pytorch());
    CHECK(own["samples"] == other["samples"]);
    for (const char* count : {"exact", "padded"}) {
        INFO(count << ": " << own[count] << " and " << other[count]);
        CHECK(own[count]["samples"] == other[count]["samples"]);
        CHECK(own[count]["loss"].get<double>() == Approx(other[count]["loss"].get<double>()).epsilon(kTolerance));
        CHECK(own[count]["accuracy"].is_null() == other[count]["accuracy"].is_null());
        if (own[count]["accuracy"].is_null()) continue;
        CHECK(std::abs(own[count]["accuracy"].get<double>() - other[count]["accuracy"].get<double>()) <= kHalfPoint);
    }
}

// Everything that must be as in PyTorch; returns how far the losses were apart.
void checkParity(const RunConfig& config, std::int64_t steps) {
    const TrainedTwice runs(config);
    const RunComparison comparison = runs.compare(kTolerance);
    INFO(comparison.text());
    CHECK(comparison.equal());
    CHECK(comparison.steps == steps);
    CHECK(comparison.shards == ShardsVerdict::kSame);
    CHECK(comparison.shardsCompared == config.training.epochs * config.parallel.worldSize);
    CHECK_FALSE(comparison.sampleCounts);
    const Json summary = jsonOf(runs.pytorch() / "summary.json");
    CHECK(summary["plan_hashes"] == jsonOf(runs.ringside() / "summary.json")["plan_hashes"]);
    CHECK(summary["initial_parameters_sha256"] == initialWeightsHash(config));
    checkSameValidation(runs);
}

}  // namespace

// 1,437 training samples in batches of 32: 45, 23 and 12 steps an epoch on 1, 2 and 4 ranks.
TEST_CASE("the exported digits experiment gives the same losses on one rank over 315 steps") {
    RunConfig config = digits(1, 7);
    // At 0.1 a ReLU's input changes sign in one of the two after 198 steps, and from there they are 1e-4 apart.
    config.optimizer.lr = 0.05;
    checkParity(config, 7 * 45);
}

TEST_CASE("the exported experiment gives the same losses on two ranks with the sampler's drop_last") {
    RunConfig config = digits(2, 6);
    config.sampler.dropLast = true;  // 718 samples a rank, 23 steps
    config.sampler.seed = 11;
    config.training.seed = 5;
    config.optimizer.weightDecay = 1e-3;
    config.optimizer.nesterov = true;
    checkParity(config, 6 * 23);
}

TEST_CASE("the exported experiment gives the same losses on four ranks with the loader's drop_last") {
    RunConfig config = digits(4, 12);
    config.loader.dropLast = true;                     // floor(360 / 32) = 11 steps
    config.dataset.validationFraction = 358.0 / 1797;  // 358 on four ranks: two are repeated
    config.training.validate = "padded";
    checkParity(config, 12 * 11);
    // 1,439 train: ceil(1439 / 4) = 360.
}

TEST_CASE("the exported experiment gives the same losses with Adam, accumulation, clipping and a schedule") {
    RunConfig config = digits(2, 12);
    config.optimizer.kind = "adam";
    config.optimizer.lr = 0.001;
    config.optimizer.clipGradNorm = 1;
    config.training.accumulateSteps = 2;  // 23 batches make 12 steps
    config.schedule.kind = "step";
    config.schedule.warmupEpochs = 2;
    checkParity(config, 12 * 12);
    config = digits(4, 20);
    config.optimizer.kind = "adamw";
    config.optimizer.lr = 0.001;
    config.optimizer.weightDecay = 0.01;
    config.optimizer.scaleLr = "linear";
    config.training.accumulateSteps = 2;  // 12 batches make 6 steps
    config.schedule.kind = "cosine";
    checkParity(config, 20 * 6);
}

TEST_CASE("the exported toy model gives the same losses at every world size") {
    // 819 training samples: ceil(819 / N / 32) steps.
    checkParity(toyModel(1, 5), 5 * 26);
    checkParity(toyModel(2, 10), 10 * 13);
    RunConfig forgotten = toyModel(4, 18);
    forgotten.sampler.setEpoch = false;
    forgotten.loader.batchSize = 16;  // ceil(205 / 16) = 13
    forgotten.training.epochs = 10;
    checkParity(forgotten, 10 * 13);
}

TEST_CASE("the exported script reads a table as Ringside does, and runs under torchrun's environment") {
    // Three classes with text labels; the second feature is constant.
    std::string table = "kind;length;same;width\n";
    for (int i = 0; i < 150; ++i) {
        const int kind = i % 3;
        table += std::string(kind == 0   ? "setosa"
                             : kind == 1 ? "virginica"
                                         : "\"blue flag\"") +
                 ";" + std::to_string(50 + 7 * kind + i % 7) + ";3;" + std::to_string(i % 11 - 20 * kind) + "\n";
    }
    const TemporaryDirectory directory;
    const auto path = [&](const char* name) { return (directory.path() / name).string(); };
    writeFileAtomically(path("flowers.csv"), table);
    RunConfig config = digits(2, 15);
    config.dataset = {.kind = "csv", .path = path("flowers.csv"), .labelColumn = "kind"};
    config.loader.batchSize = 8;
    writeFileAtomically(path("flowers.json"), config.toJson().dump());
    Program own({"run", path("flowers.json"), "--quiet", "--out", path("own")});
    REQUIRE(own.wait() == 0);
    Program writer({"export", path("flowers.json"), "-o", path("flowers.py")});
    REQUIRE(writer.wait() == 0);
    runRanksAsTorchrun({path("flowers.py"), "--out", path("other")}, 2);
    // 120 training samples, 60 a rank: 8 steps.
    Program compare({"compare", path("own"), path("other")});
    CHECK(compare.wait() == 0);
    INFO(compare.output());
    CHECK(contains(compare.output(), "120 in both"));
    CHECK(contains(compare.output(), "the same samples in the same order, 30 of 30"));
    Program strict({"compare", path("own"), path("other"), "--tolerance", "0"});
    CHECK(strict.wait() == 1);
    Program none({"compare", path("own"), path("nowhere")});
    CHECK(none.wait() == 2);
}
