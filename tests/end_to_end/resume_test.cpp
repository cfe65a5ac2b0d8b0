// SPDX-License-Identifier: Apache-2.0
// Going on from a checkpoint, with the real programs.
#include <map>

#include "base/system/files.h"
#include "program.h"
#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Loss by step.
std::map<std::int64_t, double> lossesOf(const fs::path& run) {
    std::map<std::int64_t, double> losses;
    for (const Json& line : linesOf(run / "metrics.jsonl"))
        if (line["kind"] == "step") losses[line["step"].get<std::int64_t>()] = line["loss"].get<double>();
    return losses;
}

std::string refusalOf(const std::vector<std::string>& arguments) {
    Program run(arguments);
    CHECK(run.wait() == 2);
    return run.output();
}

}  // namespace

TEST_CASE("a run goes on from a checkpoint as if it had never ended") {
    const TemporaryDirectory scratch;
    const fs::path whole = scratch.path() / "whole";
    const fs::path rest = scratch.path() / "rest";
    Program run({"run", "--quiet", "--out", whole, "--set", "parallel.world_size=2", "--set", "training.epochs=3",
                 "--set", "training.checkpoint_every=1"});
    REQUIRE(run.wait() == 0);
    Program more({"run", "--quiet", "--resume", whole / "checkpoints/step-00000023", "--out", rest});
    const int rc = more.wait();
    INFO(more.output());
    REQUIRE(rc == 0);

    const auto expected = lossesOf(whole);
    const auto found = lossesOf(rest);
    REQUIRE(expected.size() == 69);  // ceil(719 / 32) = 23 an epoch
    REQUIRE(found.size() == 46);
    for (const auto& [step, loss] : found) CHECK(loss == expected.at(step));
    Program compare({"compare", whole, rest, "--tolerance", "0"});
    CHECK(compare.wait() == 0);
    const char* const last = "checkpoints/step-00000069/model.safetensors";
    CHECK(readFile(rest / last, 1 << 20).value() == readFile(whole / last, 1 << 20).value());
    CHECK(jsonOf(rest / "summary.json")["steps_before"] == 23);
    CHECK(jsonOf(rest / "summary.json")["steps"] == 69);
}

TEST_CASE("what cannot be gone on from is refused before a run directory exists") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "out";
    const fs::path weights = scratch.path() / "w.safetensors";
    writeFileAtomically(weights, "nothing");
    CHECK(contains(refusalOf({"run", "--resume", scratch.path() / "nowhere", "--out", out}), "which does not exist"));
    CHECK(contains(refusalOf({"run", "--resume", scratch.path(), "--out", out}), "holds no complete checkpoint"));
    CHECK(contains(refusalOf({"run", "--resume", weights, "--out", out}), "has 7 bytes, too few"));
    CHECK_FALSE(fs::exists(out));
}

TEST_CASE("a loss that is no number ends the run with code 2, or is counted") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "out";
    // A linear model at a rate far too high: its loss grows by the same factor in every step, until it overflows.
    std::vector<std::string> arguments = {"run",   "--quiet",
                                          "--out", out,
                                          "--set", "optimizer.lr=1000",
                                          "--set", "dataset.kind=synthetic",
                                          "--set", "model.kind=toy_linear"};
    Program stopped(arguments);
    CHECK(stopped.wait() == 2);
    CHECK(contains(stopped.output(), "is infinite at step "));
    CHECK(contains(stopped.output(), "lower optimizer.lr"));
    CHECK(jsonOf(out / "summary.json")["first_failed_rank"].is_number());
    arguments[3] = scratch.path() / "on";
    arguments.insert(arguments.end(), {"--set", "training.on_non_finite=continue"});
    Program goesOn(arguments);
    CHECK(goesOn.wait() == 0);
    CHECK(contains(goesOn.output(), "training goes on"));
    CHECK(jsonOf(scratch.path() / "on/summary.json")["non_finite_batches"] > 0);
}
