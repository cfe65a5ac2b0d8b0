// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "program.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;
namespace fs = std::filesystem;

TEST_CASE("the built-in experiment trains on 4 ranks above 93 % and leaves a complete run directory") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--out", out});
    REQUIRE(run.wait() == 0);
    INFO(run.output());
    CHECK(contains(run.output(), "epoch 10 of 10"));
    CHECK(contains(run.output(), "final validation accuracy: 9"));
    CHECK(contains(run.output(), "run directory: " + out.string()));

    const Json summary = jsonOf(out / "summary.json");
    CHECK(summary["state"] == "finished");
    CHECK(summary["steps"] == 120);
    CHECK(summary["final"]["val_accuracy"].get<double>() > 0.93);
    CHECK(summary["final"]["val_samples"] == 360);
    CHECK(summary["plan_verified"] == true);
    CHECK(summary["plan_hashes"].size() == 4);

    // 1437 samples on 4 ranks: ceil = 360 each, in 11 batches of 32 and one of 8.
    const auto metrics = linesOf(out / "metrics.jsonl");
    std::int64_t steps = 0;
    std::int64_t samples = 0;
    for (const Json& line : metrics) {
        if (line["kind"] != "step") continue;
        CHECK(line["step"] == ++steps);
        samples += line["samples"].get<std::int64_t>();
    }
    CHECK(steps == 120);
    CHECK(samples == 10 * 4 * 360);
    CHECK(fs::exists(out / "config.json"));
    CHECK(fs::exists(out / "log.txt"));
    CHECK(fs::exists(out / "checkpoints/step-00000120/model.safetensors"));
    CHECK(fs::exists(out / "checkpoints/step-00000120/manifest.json"));
    CHECK_FALSE(fs::exists(out / "run.lock"));
    CHECK_FALSE(fs::exists(out / "supervisor.json"));
    CHECK(allGone(workerPids(out)));
}

TEST_CASE("an override with --set changes the run and the resolved configuration") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    Program run({"run", "--quiet", "--out", out, "--set", "parallel.world_size=2", "--set", "training.epochs=1"});
    REQUIRE(run.wait() == 0);
    const Json config = jsonOf(out / "config.json");
    CHECK(config["parallel"]["world_size"] == 2);
    CHECK(config["parallel"]["backend"] == "shm");
    CHECK(jsonOf(out / "summary.json")["world_size"] == 2);
    CHECK_FALSE(contains(run.output(), "epoch 1 of 1"));
}

TEST_CASE("an experiment can come from a file with its data beside it") {
    const TemporaryDirectory scratch;
    std::ofstream csv(scratch.path() / "points.csv");
    csv << "a,b,label\n";
    for (int i = 0; i < 200; ++i) csv << i % 7 << ',' << i % 2 * 10 << ',' << (i % 2 == 0 ? "no" : "yes") << '\n';
    csv.close();
    std::ofstream(scratch.path() / "my.json")
        << R"({"version":1,"name":"points","dataset":{"kind":"csv","path":"points.csv"},"training":{"epochs":3}})";
    Program run({"run", scratch.path() / "my.json", "--out", scratch.path() / "run"});
    INFO(run.output());
    REQUIRE(run.wait() == 0);
    CHECK(jsonOf(scratch.path() / "run/summary.json")["final"]["val_accuracy"].get<double>() > 0.9);
    CHECK(jsonOf(scratch.path() / "run/config.json")["dataset"]["path"] == (scratch.path() / "points.csv").string());
}

TEST_CASE("show prints the result of a run as text and as JSON") {
    const TemporaryDirectory scratch;
    const fs::path out = scratch.path() / "run";
    REQUIRE(Program({"run", "--quiet", "--out", out, "--set", "training.epochs=1"}).wait() == 0);
    Program text({"show", out});
    REQUIRE(text.wait() == 0);
    CHECK(contains(text.output(), "finished 1 epoch in 12 steps"));
    Program json({"show", out, "--json"});
    REQUIRE(json.wait() == 0);
    CHECK(Json::parse(json.output()) == jsonOf(out / "summary.json"));
}

TEST_CASE("bad experiments end with code 2, one line, and nothing half-written") {
    struct Case {
        std::string assignment;
        std::string says;
    };
    const Case cases[] = {
        {"parallel.world_size=0", "parallel.world_size"},
        {"parallel.world_size=1000000000", "parallel.world_size"},
        {"parallel.word_size=2", "world_size"},
        {"optimizer.lr=fast", "optimizer.lr"},
        {"dataset.kind=csv", "dataset.path"},
        {"training.epochs", "training.epochs"},
    };
    for (const Case& one : cases) {
        const TemporaryDirectory scratch;
        Program run({"run", "--out", scratch.path() / "run", "--set", one.assignment});
        INFO(one.assignment << " -> " << run.output());
        CHECK(run.wait() == 2);
        CHECK(contains(run.output(), one.says));
        CHECK_FALSE(fs::exists(scratch.path() / "run"));
    }
}

TEST_CASE("missing and broken files are named, with code 2") {
    const TemporaryDirectory scratch;
    Program missing({"run", scratch.path() / "none.json", "--out", scratch.path() / "run"});
    CHECK(missing.wait() == 2);
    CHECK(contains(missing.output(), "none.json"));
    std::ofstream(scratch.path() / "broken.json") << "{\"version\": 1,\n \"name\": }";
    Program broken({"run", scratch.path() / "broken.json", "--out", scratch.path() / "run"});
    CHECK(broken.wait() == 2);
    CHECK(contains(broken.output(), "line 2"));
    Program data({"run", "--out", scratch.path() / "run", "--set", "dataset.kind=csv", "--set",
                  "dataset.path=" + (scratch.path() / "no.csv").string()});
    CHECK(data.wait() == 2);
    CHECK(contains(data.output(), "no.csv"));
    CHECK_FALSE(fs::exists(scratch.path() / "run"));
    CHECK(Program({"run", "--no-such-option"}).wait() == 2);
    CHECK(Program({"jog"}).wait() == 2);
    CHECK(Program({}).wait() == 2);
    CHECK(Program({"--version"}).wait() == 0);
}

TEST_CASE("an invalid command line is reported in one line with code 2") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"rum"}, "ringsidectl: rum is not a command: did you mean run?\n"},
        {{"run", "--detatch"}, "ringsidectl run: --detatch is not expected here: see ringsidectl run --help\n"},
        {{"run", "--page", "x", "--size", "y"},
         "ringsidectl run: --page is not expected here: see ringsidectl run --help\n"},
        {{"run", "--set"}, "ringsidectl run: --set has no value: see ringsidectl run --help\n"},
        {{"plan", "--size", "ten", "--world-size", "2"},
         "ringsidectl plan: --size is ten, which is not a valid number for this option: see ringsidectl plan --help\n"},
        {{"plan", "--size", "10"}, "ringsidectl plan: --world-size is missing: see ringsidectl plan --help\n"},
        {{"show"}, "ringsidectl show: RUN_DIR is missing: see ringsidectl show --help\n"}};
    for (const auto& [arguments, line] : cases) {
        Program program(arguments);
        CHECK(program.wait() == 2);
        CHECK(program.output() == line);
    }
    Program bare({});
    CHECK(bare.wait() == 2);
    CHECK(contains(bare.output(),
                   "ringsidectl: a command is missing: the commands are plan, config, run, watch, attach"));
}

TEST_CASE("more ranks than samples with drop_last is refused with the arithmetic") {
    const TemporaryDirectory scratch;
    Program run({"run", "--out", scratch.path() / "run", "--set", "dataset.kind=synthetic", "--set", "dataset.size=5",
                 "--set", "parallel.world_size=6", "--set", "sampler.drop_last=true", "--set",
                 "model.kind=toy_linear"});
    CHECK(run.wait() == 2);
    INFO(run.output());
    CHECK(contains(run.output(), "sampler.drop_last leaves every rank without a sample: 4 samples over 6 ranks"));
    CHECK_FALSE(fs::exists(scratch.path() / "run"));
}

TEST_CASE("a run directory in use, in a file or in /proc is refused with code 2") {
    const TemporaryDirectory scratch;
    std::ofstream(scratch.path() / "file") << "x";
    fs::create_directory(scratch.path() / "used");
    std::ofstream(scratch.path() / "used" / "config.json") << "{}";
    for (const fs::path& out : {scratch.path() / "file" / "run", fs::path("/proc/run"), scratch.path() / "used"}) {
        Program run({"run", "--out", out});
        CHECK(run.wait() == 2);
        CHECK(contains(run.output(), "--out"));
        Program detached({"run", "--detach", "--out", out});
        CHECK(detached.wait() == 2);
    }
    CHECK(contentOf(scratch.path() / "used" / "config.json") == "{}");
}

TEST_CASE("a missing worker program is reported before anything is written") {
    const TemporaryDirectory scratch;
    fs::copy_file(builtProgram("ringsidectl"), scratch.path() / "ringsidectl");
    Program run({"run", "--out", scratch.path() / "run"}, -1, scratch.path() / "ringsidectl");
    CHECK(run.wait() == 2);
    CHECK(contains(run.output(), "ringside-worker is missing"));
    CHECK_FALSE(fs::exists(scratch.path() / "run"));
}
