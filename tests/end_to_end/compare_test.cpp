// SPDX-License-Identifier: Apache-2.0
#include "base/system/files.h"
#include "program.h"
#include "support/catch.h"

using namespace ringside;

namespace {

void train(const std::filesystem::path& out, const std::vector<std::string>& assignments) {
    std::vector<std::string> arguments = {"run", "--quiet", "--out", out};
    for (const std::string& assignment : assignments) arguments.insert(arguments.end(), {"--set", assignment});
    Program run(arguments);
    const int rc = run.wait();
    INFO(run.output());
    REQUIRE(rc == 0);
}

}  // namespace

TEST_CASE("the same experiment run twice has the same losses to the last bit, and compare reports that") {
    const TemporaryDirectory scratch;
    const auto a = scratch.path() / "a";
    const auto b = scratch.path() / "b";
    train(a, {"training.epochs=3"});
    train(b, {"training.epochs=3"});
    Program compare({"compare", a, b, "--tolerance", "0"});
    CHECK(compare.wait() == 0);
    INFO(compare.output());
    CHECK(contains(compare.output(), "36 in both"));
    CHECK(contains(compare.output(), "the same losses to the last bit"));
    CHECK(contains(compare.output(), "the same samples in the same order (pairs of rank and epoch compared: 12)"));
    CHECK(contentOf(a / "checkpoints/step-00000036/model.safetensors") ==
          contentOf(b / "checkpoints/step-00000036/model.safetensors"));
}

TEST_CASE("one rank with batch 128 has the losses of four ranks with batch 32, within rounding") {
    const TemporaryDirectory scratch;
    const auto one = scratch.path() / "one";
    const auto four = scratch.path() / "four";
    // Without the incomplete last batch, both runs make 11 steps per epoch with the same 128 samples in each.
    train(one, {"training.epochs=3", "loader.drop_last=true", "parallel.world_size=1", "loader.batch_size=128"});
    train(four, {"training.epochs=3", "loader.drop_last=true"});
    Program compare({"compare", one, four, "--json"});
    const int rc = compare.wait();
    INFO(compare.output());
    CHECK(rc == 0);
    const Json report = Json::parse(compare.output());
    CHECK(report["steps"] == 33);
    CHECK(report["same_sample_counts"] == true);
    CHECK(report["same_shards"] == false);
    CHECK(report["validation_accuracy_difference"].get<double>() < 0.005);
}

TEST_CASE("compare returns 1 for different runs and 2 for unreadable ones") {
    const TemporaryDirectory scratch;
    const auto a = scratch.path() / "a";
    const auto b = scratch.path() / "b";
    train(a, {"training.epochs=1"});
    train(b, {"training.epochs=1", "training.seed=1"});
    Program compare({"compare", a, b});
    CHECK(compare.wait() == 1);
    CHECK(contains(compare.output(), "different from step 1"));
    CHECK(contains(compare.output(), "training.seed: 0 and 1"));
    Program missing({"compare", a, scratch.path() / "nowhere"});
    CHECK(missing.wait() == 2);
    CHECK(contains(missing.output(), "metrics.jsonl"));
}
