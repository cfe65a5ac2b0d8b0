// SPDX-License-Identifier: Apache-2.0
#include "base/system/files.h"
#include "config/run_config.h"
#include "end_to_end/program.h"
#include "exported_run.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;

TEST_CASE("the exported script reads a table as Ringside does, and runs under torchrun's environment") {
    // Table with three classes that are texts. Its second feature is constant.
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
    RunConfig config;
    config.parallel.worldSize = 2;
    config.parallel.timeoutSeconds = 120;
    config.training.epochs = 15;
    config.dataset = {.kind = DatasetKind::kCsv, .path = path("flowers.csv"), .labelColumn = "kind"};
    config.optimizer.lr = 0.01;  // keeps the loss away from 0, where float32 rounding changes its first five digits
    config.loader.batchSize = 8;
    writeFileAtomically(path("flowers.json"), config.toText());
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
    CHECK(contains(compare.output(), "the same samples in the same order (pairs of rank and epoch compared: 30)"));
    // Both runs recorded their configuration; that of Ringside contains the value that it chose for "auto".
    CHECK(contains(compare.output(), "parallel.backend: \"shm\" and \"auto\""));
    CHECK_FALSE(contains(compare.output(), "model."));
    Program strict({"compare", path("own"), path("other"), "--tolerance", "0"});
    CHECK(strict.wait() == 1);
    Program none({"compare", path("own"), path("nowhere")});
    CHECK(none.wait() == 2);
}

TEST_CASE("the exported script stops at a loss that is not finite with step and rank, as Ringside does") {
    const TemporaryDirectory directory;
    const auto path = [&](const char* name) { return (directory.path() / name).string(); };
    const std::vector<std::string> experiment = {
        "--set", "dataset.kind=synthetic", "--set", "model.kind=toy_linear",       "--set", "parallel.world_size=1",
        "--set", "optimizer.lr=1e6",       "--set", "parallel.timeout_seconds=120"};
    const auto with = [&](std::vector<std::string> command) {
        command.insert(command.end(), experiment.begin(), experiment.end());
        return command;
    };
    Program own(with({"run", "--quiet", "--out", path("own")}));
    CHECK(own.wait() == 2);
    CHECK(contains(own.output(), "the loss of rank 0 is infinite at step 5"));
    Program writer(with({"export", "-o", path("train.py")}));
    REQUIRE(writer.wait() == 0);
    Program other({path("train.py"), "--out", path("other")}, -1, torchPython());
    CHECK(other.wait(std::chrono::seconds(200)) == 2);
    CHECK(contains(other.output(), "the loss of rank 0 is infinite at step 5"));
}
