// SPDX-License-Identifier: Apache-2.0
// Tests of resuming from a checkpoint, with the real programs.
#include <map>

#include "base/system/files.h"
#include "program.h"
#include "support/catch.h"
#include "support/stored_tensors.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Returns the loss of each step, by the number of the step.
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

TEST_CASE("a run resumed from a checkpoint equals an uninterrupted one") {
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

TEST_CASE("a run without config.json is resumed with the experiment in its telemetry") {
    const TemporaryDirectory scratch;
    const fs::path first = scratch.path() / "first";
    const std::vector<std::string> settings = {
        "--set", "parallel.world_size=2", "--set", "optimizer.lr=0.02",
        "--set", "model.hidden=[17]",     "--set", "training.checkpoint_every=1"};
    const auto train = [&](std::vector<std::string> arguments, const fs::path& out) {
        arguments.insert(arguments.begin(), "run");
        arguments.insert(arguments.end(), {"--quiet", "--out", out});
        Program run(arguments);
        const int code = run.wait();
        INFO(run.output());
        REQUIRE(code == 0);
        return lossesOf(out);
    };
    std::vector<std::string> whole = settings;
    whole.insert(whole.end(), {"--set", "training.epochs=2"});
    const auto expected = train(whole, scratch.path() / "whole");
    std::vector<std::string> half = settings;
    half.insert(half.end(), {"--set", "training.epochs=1"});
    train(half, first);

    const fs::path checkpoint = first / "checkpoints/step-00000023";
    const fs::path copy = scratch.path() / "copy";
    fs::copy(checkpoint, copy, fs::copy_options::recursive);
    fs::remove(first / "config.json");
    int number = 0;
    for (const fs::path& resumed : {first, checkpoint, checkpoint / ""}) {
        const fs::path rest = scratch.path() / ("rest" + std::to_string(number++));
        const auto found = train({"--resume", resumed, "--set", "training.epochs=2"}, rest);
        CHECK(found.size() == 23);
        for (const auto& [step, loss] : found) CHECK(loss == expected.at(step));
    }
    // The run directory itself names the experiment, too.
    CHECK(train({first}, scratch.path() / "again") == lossesOf(first));

    const fs::path refused = scratch.path() / "refused";
    CHECK(contains(refusalOf({"run", "--resume", copy, "--out", refused}), "so its experiment is not known"));
    CHECK_FALSE(fs::exists(refused));
}

TEST_CASE("an invalid resume point is refused before a run directory exists") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "out";
    const fs::path weights = scratch.path() / "w.safetensors";
    writeFileAtomically(weights, "nothing");
    CHECK(contains(refusalOf({"run", "--resume", scratch.path() / "nowhere", "--out", out}), "which does not exist"));
    CHECK(contains(refusalOf({"run", "--resume", scratch.path(), "--out", out}), "contains no complete checkpoint"));
    CHECK(contains(refusalOf({"run", "--resume", weights, "--out", out}), "has 7 bytes, too few"));
    CHECK_FALSE(fs::exists(out));
}

TEST_CASE("a run that ended by training.max_steps is resumed only with a higher number") {
    const TemporaryDirectory scratch;
    const fs::path first = scratch.path() / "first";
    const fs::path out = scratch.path() / "out";
    REQUIRE(Program({"run", "--quiet", "--set", "training.max_steps=5", "--out", first}).wait() == 0);
    for (const char* most : {"training.max_steps=5", "training.max_steps=4"}) {
        const std::string text = refusalOf({"run", "--resume", first, "--set", most, "--out", out});
        CHECK(contains(text, "and the checkpoint has trained 5 steps already"));
        CHECK(contains(text, "raise training.max_steps to continue training"));
    }
    CHECK_FALSE(fs::exists(out));
    Program more({"run", "--quiet", "--resume", first, "--set", "training.max_steps=6", "--out", out});
    CHECK(more.wait() == 0);
    CHECK(contains(more.output(), "in 6 steps"));
}

TEST_CASE("a learning rate that a resumed run would ignore is refused") {
    const TemporaryDirectory scratch;
    const fs::path first = scratch.path() / "first";
    const fs::path out = scratch.path() / "out";
    Program run(joined({"run", "--quiet", "--set", "training.epochs=400", "--out", first}, kSlow));
    REQUIRE(eventually([&] { return hasTrained(first); }));
    for (const char* command : {"pause", "lr 0.02", "stop"}) {
        const std::string word = command;
        std::vector<std::string> words{"control", first, word.substr(0, word.find(' '))};
        if (word.find(' ') != std::string::npos) words.push_back(word.substr(word.find(' ') + 1));
        REQUIRE(Program(words).wait() == 0);
    }
    REQUIRE(run.wait() == 20);
    const std::vector<std::string> rest{"--resume", first, "--set", "optimizer.lr=0.3", "--out", out};
    std::vector<std::string> words{"run"};
    words.insert(words.end(), rest.begin(), rest.end());
    CHECK(contains(refusalOf(words), "is 0.3, but a control command set the learning rate to 0.02"));
    Program worker(rest, -1, builtProgram("ringside-worker"));
    CHECK(worker.wait() == 2);
    CHECK(contains(worker.output(), "is 0.3, but a control command set the learning rate to 0.02"));
    CHECK_FALSE(fs::exists(out));
    words[4] = "optimizer.lr=0.02";
    Program same(joined(words, kFast));
    CHECK(same.wait() == 0);
}

namespace {

// Returns a weights file of a linear model with ten inputs and ten outputs. All values have the same bytes.
std::string linearWeights(const std::string& type, const std::string& value) {
    const auto times = [&value](int count) {
        std::string bytes;
        for (int i = 0; i < count; ++i) bytes += value;
        return bytes;
    };
    return encodeSafetensors({{.name = "linear.bias", .type = type, .shape = {10}, .bytes = times(10)},
                              {.name = "linear.weight", .type = type, .shape = {10, 10}, .bytes = times(100)}},
                             {});
}

}  // namespace

TEST_CASE("weights that do not match or are not finite are refused with their file under every strategy") {
    const TemporaryDirectory scratch;
    const fs::path half = scratch.path() / "half.safetensors";
    const fs::path broken = scratch.path() / "broken.safetensors";
    writeFileAtomically(half, linearWeights("F16", std::string("\0\0", 2)));
    writeFileAtomically(broken, linearWeights("F32", std::string("\0\0\xc0\x7f", 4)));  // a quiet NaN
    for (const char* strategy : {"ddp", "fsdp"}) {
        CAPTURE(strategy);
        const auto refused = [&](const fs::path& weights) {
            return refusalOf({"run", "--quiet", "--out", scratch.path() / (weights.stem().string() + strategy),
                              "--resume", weights, "--set", "dataset.kind=synthetic", "--set", "model.kind=toy_linear",
                              "--set", "parallel.world_size=2", "--set", std::string("parallel.strategy=") + strategy});
        };
        const std::string wrongType = refused(half);
        CHECK(contains(wrongType, half.string() + " has linear."));
        CHECK(contains(wrongType, " as F16; the model's tensor is F32"));
        const std::string noNumbers = refused(broken);
        CHECK(contains(noNumbers, broken.string() + " has values in linear."));
        CHECK(contains(noNumbers, "that are infinite or not a number: choose an earlier checkpoint"));
        CHECK_FALSE(contains(noNumbers, "data set"));
    }
}

TEST_CASE("a non-finite loss ends the run with code 2, or is counted") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "out";
    // Experiment with a linear model and a learning rate that is far too high: the loss grows by a constant factor in
    // every step until it overflows.
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
    Program continued(arguments);
    CHECK(continued.wait() == 0);
    CHECK(contains(continued.output(), "training continues"));
    CHECK(jsonOf(scratch.path() / "on/summary.json")["non_finite_batches"] > 0);
}
