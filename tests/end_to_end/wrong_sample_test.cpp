// SPDX-License-Identifier: Apache-2.0
// Tests a rank that trains another sample than planned, with the real programs.
#include <cstdlib>
#include <fstream>

#include "program.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Rank 2 trains sample 17 at slot 40 of epoch 1. The variable is inherited by the workers.
class Fault {
  public:
    Fault() { ::setenv("RINGSIDE_TEST_WRONG_INDEX", "2:1:40:17", 1); }
    ~Fault() { ::unsetenv("RINGSIDE_TEST_WRONG_INDEX"); }
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
};

std::string runWithFault(const fs::path& out, const std::string& report) {
    const Fault fault;
    Program run({"run", "--out", out, "--set", "training.epochs=3", "--report-samples", report}, -1,
                testProgram("faults/ringsidectl"));
    REQUIRE(run.wait() == 0);
    return run.output();
}

}  // namespace

TEST_CASE("the installed worker trains on the planned samples and ignores the variable of the tests") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    const Fault fault;
    Program run({"run", "--out", out, "--set", "training.epochs=3"});
    REQUIRE(run.wait() == 0);
    CHECK(jsonOf(out / "summary.json")["plan_verified"] == true);
}

TEST_CASE("one wrong sample among thousands is named by rank, epoch, step and slot") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    // torch.randperm(1437) seeded with 1: position 2 + 4 x 40 = 162 holds 566; slot 40 is in the second batch of 32.
    const std::string place = "rank 2, epoch 2, step 2, slot 40: planned 566, trained 17";
    const std::string output = runWithFault(out, "always");
    INFO(output);
    CHECK(contains(output, "shards differ from the plan: " + place));

    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["state"] == "finished");
    CHECK(summary["plan_verified"] == false);
    CHECK(summary["plan_audited_epochs"] == 3);
    CHECK(summary["plan_mismatch"]["text"] == place);
    CHECK(summary["plan_mismatch"]["rank"] == 2);
    CHECK(summary["plan_mismatch"]["planned"] == 566);
    CHECK(summary["plan_mismatch"]["trained"] == 17);
    Program show({"show", out});
    REQUIRE(show.wait() == 0);
    CHECK(contains(show.output(), "differs from the plan: " + place));
}

TEST_CASE("without reported samples the hash still identifies rank and epoch") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    runWithFault(out, "never");
    const Json mismatch = jsonOf(out / "summary.json")["plan_mismatch"];
    CHECK(mismatch["rank"] == 2);
    CHECK(mismatch["epoch"] == 1);
    CHECK_FALSE(mismatch.contains("slot"));
}

TEST_CASE("ranks that train on the planned samples are verified in every epoch, also with dropped samples") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--out", out, "--set", "training.epochs=3", "--set", "loader.drop_last=true"});
    REQUIRE(run.wait() == 0);
    CHECK(contains(run.output(), "shards verified in 3 epochs"));
    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["plan_verified"] == true);
    CHECK(summary["plan_mismatch"].is_null());
}

TEST_CASE("a forgotten set_epoch is named where the shards are as planned") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--out", out, "--set", "training.epochs=3", "--set", "sampler.set_epoch=false"});
    REQUIRE(run.wait() == 0);
    const std::string sentence =
        "as planned in 3 epochs, but every epoch has the same order: set_epoch is never called";
    CHECK(contains(run.output(), "shards " + sentence));
    CHECK_FALSE(contains(run.output(), "verified"));
    Program show({"show", out});
    REQUIRE(show.wait() == 0);
    CHECK(contains(show.output(), sentence));
    CHECK_FALSE(contains(show.output(), "verified"));
}
